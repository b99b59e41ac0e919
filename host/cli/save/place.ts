import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { toldOf } from '../../../core/files/whole.ts'
import { decodeUtf8, encodeUtf8 } from '../../../core/go/utf8.ts'
import { cliErrors, reasonOf } from '../errors.ts'

/** A path beside another, for what is not whole yet: hidden, of its own, on the same file system. */
function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 200)}.${randomBytes(6).toString('hex')}.part`)
}

/** A path as the file system takes it; what is no UTF-8 in it (see `core/go/utf8.ts`) as the bytes it stands for. */
export function fsPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : encodeUtf8(path)
}

/** The kind of the thing at a path, symlinks not followed; undefined for nothing. */
export async function lie(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(fsPath(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Where the bytes of a file go whose path was named: a symlink is followed to the file that it leads to, and a device or a pipe stays what it is.
 *
 * @returns `isWritten`: it is written into, as no file can take its place
 * @throws E_SAVE_EXISTS
 */
export async function destination(path: string): Promise<{ readonly path: string; readonly isWritten: boolean }> {
  const there = await lie(path)
  if (there?.isSymbolicLink() !== true) return { path, isWritten: isStream(there) }
  const at = await stat(fsPath(path)).catch(() => undefined)
  if (at?.isFile() === true) return { path: decodeUtf8(await realpath(fsPath(path), 'buffer')), isWritten: false }
  if (at !== undefined && isStream(at)) return { path, isWritten: true }
  throw cliErrors.E_SAVE_EXISTS(path, `there is a symlink of that name, which leads to ${at === undefined ? 'nothing' : 'no file'}`)
}

function isStream(at: Stats | undefined): boolean {
  return at?.isCharacterDevice() === true || at?.isFIFO() === true
}

/**
 * Does the work on a temporary path and moves what came of it to where it belongs; after an error nothing is left of it.
 *
 * @param work - makes a file, a symlink or a folder at the path it is given, and says where to move it
 */
export async function whole(path: string, work: (temporary: string) => Promise<string>): Promise<void> {
  const temporary = temporaryBeside(path)
  try {
    await place(temporary, await work(temporary))
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && (await lie(dirname(path))) === undefined)
      throw cliErrors.E_SAVE_FAILED(path, `there is no folder ${dirname(path)}`)
    const { errno, path: at } = error as NodeJS.ErrnoException
    if (errno !== undefined && at !== undefined) throw cliErrors.E_SAVE_FAILED(at.replace(temporary, path), reasonOf(error))
    throw toldOf(error, temporary, path)
  }
}

/** Moves what is whole to where it belongs. A folder goes into a folder of that name, entry by entry. */
async function place(from: string, to: string): Promise<void> {
  const [mine, there] = [await lie(from), await lie(to)]
  if (mine?.isDirectory() && there?.isDirectory()) {
    for (const bytes of await readdir(fsPath(from), { encoding: 'buffer' })) {
      const name = decodeUtf8(bytes)
      await place(join(from, name), join(to, name))
    }
    return rm(from, { recursive: true })
  }
  if (there?.isDirectory()) throw cliErrors.E_SAVE_EXISTS(to, 'there is a folder of that name')
  if (there !== undefined && mine?.isDirectory()) throw cliErrors.E_SAVE_EXISTS(to, 'there is a file of that name')
  if (there !== undefined && !there.isFile() && !there.isSymbolicLink())
    throw cliErrors.E_SAVE_EXISTS(to, 'there is a device, a pipe or a socket of that name')
  // in a folder, which may have been written by others, no symlink is followed
  if (there?.isSymbolicLink() && !mine?.isSymbolicLink()) throw cliErrors.E_SAVE_EXISTS(to, 'there is a symlink of that name')
  await rename(fsPath(from), fsPath(to))
}
