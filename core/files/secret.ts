import { messageOf } from '../errors.ts'
import { fileErrors } from './errors.ts'
import { thisUser } from './foreign.ts'
import { withRegularFile } from './regular.ts'

/** Most bytes of a file with a secret. */
const MOST = 16_384

/**
 * The secret in a file that only this user may read, without the end of its line. No error shows it.
 *
 * @throws E_SECRET_FILE, E_SECRET_SHARED
 */
export async function readSecret(file: string): Promise<string> {
  let text: string
  try {
    text = await withRegularFile(file, async ({ found, first }) => {
      const user = thisUser()
      if (user !== undefined && (found.uid !== user.uid || (found.mode & 0o077) !== 0)) throw fileErrors.E_SECRET_SHARED(file, found)
      return (await first(MOST)).toString()
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw fileErrors.E_SECRET_FILE(file, messageOf(error))
  }
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw fileErrors.E_SECRET_FILE(file, 'it is empty')
  return secret
}
