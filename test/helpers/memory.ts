import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export const MiB = 1 << 20

setFlagsFromString('--expose-gc')

/** Collects garbage, all of it, before it returns. */
export const collectGarbage = runInNewContext('gc') as () => void

/** What JavaScript holds in this process once garbage is collected, buffers included, in MiB. */
export function heldMemory(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / MiB
}

/** The same once what was being freed is free: the least of some looks within a fifth of a second. */
export async function settledMemory(): Promise<number> {
  let least = heldMemory()
  for (let look = 0; look < 10; look++) {
    await new Promise(resolve => setTimeout(resolve, 20))
    least = Math.min(least, heldMemory())
  }
  return least
}
