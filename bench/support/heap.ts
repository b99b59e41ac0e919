import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MiB } from './report.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What JavaScript holds in this process once garbage is collected, buffers included, in MiB. */
export function memory(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / MiB
}
