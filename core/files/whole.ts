import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Puts `content` into a file as a whole or not at all: written beside it, made durable, then renamed. Readable by this user alone. One
 * writer at a time: the folder's lock and the caller's order see to that.
 *
 * @param beside - the file that is written first; default `<path>.tmp`
 * @throws the system's error; nothing is left beside the file then
 */
export async function writeWhole(path: string, content: string | Uint8Array, beside = `${path}.tmp`): Promise<void> {
  try {
    const file = await open(beside, 'w', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await unlink(beside).catch(() => {})
    throw error
  }
}

/** A rename survives power loss once its folder is durable; not every system can do that to a folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined)
  try {
    await folder?.sync().catch(() => {})
  } finally {
    await folder?.close()
  }
}
