import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'

/** Why nothing can be mounted here. @returns undefined where it can */
export function missingFuse(): string | undefined {
  if (process.platform !== 'linux' || process.getuid!() !== 0) return 'only root of Linux mounts'
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK)
    return undefined
  } catch {
    return 'this machine has no /dev/fuse'
  }
}

const why = missingFuse()

/** A test that mounts for real where the machine can: as root, with FUSE. Elsewhere it is skipped, and its title says why. */
export function real(title: string, run: (t: ExecutionContext) => Promise<void>): void {
  if (why === undefined) test.serial(title, run)
  else test.skip(`${title} (${why})`, run)
}

/** What a program of the machine prints. Never read a mount of this process in it: the kernel would wait for who waits for the kernel. */
export async function shell(script: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)('sh', ['-ec', script, 'sh', ...args], { timeout: 280_000 })).stdout
}

/** Folders of a folder to mount at, unmounted when the test ends, and the query of `mount` that names them. */
export async function mountpoints(t: ExecutionContext, folder: string) {
  const [ipfs, ipns, mfs] = ['content', 'names', 'tree'].map(name => join(folder, name)) as [string, string, string]
  await Promise.all([ipfs, ipns, mfs].map(path => mkdir(path)))
  t.teardown(() => shell('for m; do umount -l "$m" 2> /dev/null || true; done', ipfs, ipns, mfs))
  return { ipfs, ipns, mfs, query: [`ipfs-path=${ipfs}`, `ipns-path=${ipns}`, `mfs-path=${mfs}`].map(encodeURI).join('&') }
}
