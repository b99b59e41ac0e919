import { access, constants, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { kernelLockHolder, repoFiles } from '../../../core/repo/index.ts'
import { migrateErrors } from '../errors.ts'

/**
 * Refuses a repo that Kubo works on, which has the kernel hold locks on two files there. Only Linux tells who holds one; elsewhere the address
 * that a running node leaves has to do.
 *
 * @throws E_KUBO_RUNNING, E_KUBO_API
 */
export async function refuseRunning(repo: string, datastore: string): Promise<void> {
  for (const file of [join(repo, repoFiles.lock), join(datastore, 'LOCK')]) {
    const holder = await kernelLockHolder(file)
    if (holder !== undefined) throw migrateErrors.E_KUBO_RUNNING(repo, holder)
  }
  if (await isThere('/proc/locks')) return
  const api = join(repo, repoFiles.api)
  if (await isThere(api)) throw migrateErrors.E_KUBO_API(api)
}

function isThere(file: string): Promise<boolean> {
  return access(file, constants.F_OK).then(
    () => true,
    () => false
  )
}

/** The files that change when somebody writes to a repo, but for its blocks. */
export async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = await Promise.all(files.map(file => stat(file, { bigint: true }).catch(() => undefined)))
  return stamps.map(found => (found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeNs}`)).join('\n')
}
