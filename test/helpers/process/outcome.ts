import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The exit status of a process once it has ended, and all that it wrote. */
export async function outcomeOf(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let [out, err] = ['', '']
  child.stdout?.on('data', data => {
    out += data
  })
  child.stderr?.on('data', data => {
    err += data
  })
  await once(child, 'close')
  return { code: child.exitCode, out, err }
}
