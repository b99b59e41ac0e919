import { writeWhole as write, writeWholeThrough as writeThrough } from '../../core/files/whole.ts'
import { refused } from './errors.ts'

/** Puts `text` into a file as a whole or not at all, and says in words what the file system refused. */
export async function writeWhole(path: string, text: string | Uint8Array, beside?: string): Promise<void> {
  await write(path, text, beside).catch(error => {
    throw refused(error, 'write', path)
  })
}

/** The same of a file that may be a symlink, which stays one. */
export async function writeWholeThrough(path: string, text: string): Promise<void> {
  await writeThrough(path, text).catch(error => {
    throw refused(error, 'write', path)
  })
}
