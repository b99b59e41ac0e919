import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export const MiB = 1 << 20

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What the process holds once nothing is garbage any more, buffers included, in MiB. */
export function held(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / MiB
}

/** The same once what was being freed is free: the least of some looks within a fifth of a second. */
export async function settled(): Promise<number> {
  let least = held()
  for (let look = 0; look < 10; look++) {
    await new Promise(resolve => setTimeout(resolve, 20))
    least = Math.min(least, held())
  }
  return least
}
