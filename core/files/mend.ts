import type { Stats } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { thisUser } from './foreign.ts'
import { faultOf } from './ownership.ts'

const WRITABLE_BY_OTHERS = 0o022
const OPEN_TO_OTHERS = 0o077

/**
 * Keeps others from writing a file or folder, where it is this user's own; symlinks are followed, and the way to it is not looked at.
 *
 * @returns the mode that it had where others could write it; undefined where they could not, and where there is nothing
 * @throws E_FILE_OWNER for one of another user but root, E_FILE_SHARED for one of root that others can write
 */
export async function closeToOthers(path: string): Promise<number | undefined> {
  const user = thisUser()
  const found = user && (await stat(path).catch(() => undefined))
  if (user === undefined || found === undefined) return undefined
  const fault = faultOf(path, owned(path, found), user)
  if (fault === undefined) return undefined
  if (found.uid !== user.uid) throw fault
  await chmod(path, found.mode & 0o7777 & ~WRITABLE_BY_OTHERS)
  // some disks show every file as open to all, whatever is asked of them
  const still = faultOf(path, owned(path, await stat(path)), user)
  if (still !== undefined) throw still
  return found.mode
}

/**
 * Keeps others from reading a file with a secret; symlinks are followed. One that cannot be closed stays as it is.
 *
 * @returns the mode that it had where others could read it; undefined where they could not, and where there is nothing
 */
export async function hideFromOthers(path: string): Promise<number | undefined> {
  if (thisUser() === undefined) return undefined
  const mode = (await stat(path).catch(() => undefined))?.mode
  if (mode === undefined || (mode & OPEN_TO_OTHERS) === 0) return undefined
  await chmod(path, mode & 0o7777 & ~OPEN_TO_OTHERS).catch(() => {})
  return mode
}

function owned(path: string, found: Stats) {
  const { uid, gid, mode } = found
  return { path, kind: found.isDirectory() ? ('folder' as const) : ('file' as const), uid, gid, mode }
}
