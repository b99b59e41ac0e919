import { leftRunning, toldOf } from '../plugins/left.ts'
import { Output } from './print/output.ts'

/** How long a process may live on when its work is done, in milliseconds, before it says who holds it and ends. */
const GRACE_MS = 1000

/** Ends the process with this status: by itself where nothing holds it, else after a grace. Output that somebody still reads is waited for. */
export function endWith(status: number): void {
  process.exitCode = status
  const end = () => {
    if (process.stdout.writableLength > 0 && !process.stdout.destroyed) return void setTimeout(end, GRACE_MS).unref()
    const told = toldOf(leftRunning())
    const held =
      told.length > 0 ? told.join('; ') : `something is left running (${[...new Set(process.getActiveResourcesInfo())].join(', ')})`
    void new Output(process.stderr).line(`${held}: ended without it`)
    process.exit(status)
  }
  setTimeout(end, GRACE_MS).unref()
}
