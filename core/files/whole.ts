import { open, realpath, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Puts `content` into a file as a whole or not at all: written beside it, made durable, then renamed. Readable by this user alone. One
 * writer at a time: the folder's lock and the caller's order see to that.
 *
 * @param beside - the file that is written first; default `<path>.tmp`
 * @throws the system's error; nothing is left beside the file then
 */
export async function writeWhole(path: string, content: string | Uint8Array, beside?: string): Promise<void> {
  await writeUnlisted(path, content, beside)
  await syncFolder(dirname(path))
}

/** The same of one of many files in a folder that the caller makes durable behind them with {@link syncFolder}. */
export async function writeUnlisted(path: string, content: string | Uint8Array, beside = `${path}.tmp`): Promise<void> {
  try {
    const file = await open(beside, 'w', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
  } catch (error) {
    await unlink(beside).catch(() => {})
    throw toldOf(error, beside, path)
  }
}

/** An error as somebody reads it who named a file, and knows nothing of the one that is written first. */
export function toldOf(error: unknown, written: string, meant: string): unknown {
  if (!(error instanceof Error)) return error
  error.message = error.message.replaceAll(written, meant)
  return error
}

/** The same of a file that the user may keep elsewhere: a symlink stays one, and what it leads to is replaced. */
export async function writeWholeThrough(path: string, content: string | Uint8Array): Promise<void> {
  const end = await realpath(path).catch(error => {
    if (error.code === 'ENOENT') return path
    throw error
  })
  await writeWhole(end, content)
}

/** Errors of a system that cannot make a folder durable. */
const CANNOT: ReadonlySet<unknown> = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM'])

/**
 * A rename survives power loss once its folder is durable. Where the system has no way to that, nothing is done.
 *
 * @throws the system's error where it failed
 */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(unlessImpossible)
  try {
    await folder?.sync().catch(unlessImpossible)
  } finally {
    await folder?.close()
  }
}

function unlessImpossible(error: { code?: unknown }): undefined {
  if (!CANNOT.has(error.code)) throw error
}
