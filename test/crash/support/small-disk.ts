import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'

const run = promisify(execFile)

/** A file system of its own with so many MiB, gone when the test ends. Where none may be mounted, the log says why and there is none. */
export async function smallDisk(t: ExecutionContext, mebibytes: number): Promise<string | undefined> {
  const folder = await temporaryFolder(t)
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder])
  } catch (error) {
    t.log(`not tried, as no small file system can be mounted here: ${(error as Error).message.trim()}`)
    t.pass()
    return undefined
  }
  t.teardown(() => run('umount', ['-l', folder]))
  return folder
}

/** A file that takes so many MiB of the disk until it is removed. */
export async function ballast(path: string, mebibytes: number): Promise<void> {
  await writeFile(path, Buffer.alloc(mebibytes << 20, 1))
}
