import { readFile } from 'node:fs/promises'
import { totalmem } from 'node:os'

/** Open files where the system does not say how many a process may have. */
const USUAL_FILES = 8192

/** Bytes of memory that this process may have at most. */
export function memoryOfMachine(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(totalmem(), constrained) : totalmem()
}

/** Files and sockets that this process may have open. */
export async function filesOfProcess(): Promise<number> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files\s+(\d+)/m.exec(text) ?? []
  return soft === undefined ? USUAL_FILES : Number(soft)
}
