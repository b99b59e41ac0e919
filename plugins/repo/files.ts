import { writeWhole as write } from '../../core/files/whole.ts'
import { refused } from './errors.ts'

/** Puts `text` into a file as a whole or not at all, and says in words what the file system refused. */
export async function writeWhole(path: string, text: string, beside?: string): Promise<void> {
  try {
    await write(path, text, beside)
  } catch (error) {
    throw refused(error, 'write', path)
  }
}
