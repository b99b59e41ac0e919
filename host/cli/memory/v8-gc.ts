import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How to collect garbage; `last-resort` is the one way of V8 to let go of pages that it holds in reserve. */
type Collection = { type: 'minor' } | { type: 'major'; flavor: 'last-resort' }

let collect: ((how: Collection) => void) | undefined

/** A function that has V8 collect garbage in this process. */
export function v8Gc(how: Collection): () => void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as (how: Collection) => void
  }
  const run = collect
  return () => run(how)
}
