import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Loaded } from './load.ts'

/** A place in a stack: `file:///x/y.js:1:2`, or a path of the machine. */
const FRAME = /\(?(file:\/\/[^\s)]+?|\/[^\s)]+?|[A-Za-z]:\\[^)]+?):\d+:\d+\)?$/

/** Where a plugin that is no built-in lies: its file, or the folder of its package. */
type Placed = Pick<Loaded, 'plugin' | 'place'>

/** The name of the plugin whose file stands first in an error's stack; undefined for what comes from none, or has no stack. */
export function culpritOf(error: unknown, loaded: readonly Placed[]): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    for (const file of filesIn(at.stack ?? '')) {
      const owner = loaded.find(one => owns(one, file))
      if (owner !== undefined) return owner.plugin.name
    }
  }
  return undefined
}

/** The files of a stack, that of the throw first. */
function filesIn(stack: string): string[] {
  return stack.split('\n').flatMap(line => {
    const place = /^\s+at /.test(line) ? FRAME.exec(line)?.[1] : undefined
    if (place === undefined) return []
    return [place.startsWith('file:') ? fileURLToPath(place.replace(/\?.*$/, '')) : place]
  })
}

/** A package owns its folder but for packages in it, a file itself. */
function owns({ place }: Placed, file: string): boolean {
  if (place === undefined) return false
  if (file === place) return true
  return file.startsWith(place + sep) && !file.slice(place.length).includes(`${sep}node_modules${sep}`)
}
