import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { refused } from './errors.ts'

/**
 * Puts `text` into a file as a whole or not at all: written beside it, made durable, then renamed. Readable by this user alone. One
 * writer at a time: the folder's lock and the caller's order see to that.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const beside = `${path}.tmp`
  try {
    const file = await open(beside, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await unlink(beside).catch(() => {})
    throw refused(error, 'write', path)
  }
}

/** A rename survives power loss once its folder is durable; not every system can do that to a folder. */
async function syncFolder(path: string) {
  const folder = await open(path).catch(() => undefined)
  try {
    await folder?.sync().catch(() => {})
  } finally {
    await folder?.close()
  }
}
