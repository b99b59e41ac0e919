import { resolve } from 'node:path'
import type { Saving } from '../../../core/index.ts'
import type { Guard } from './guard.ts'
import { destination, whole } from './place.ts'
import { unpack, writeFile } from './unpack.ts'

interface Storing {
  readonly cwd: string
  /** Told of bytes that were stored. */
  readonly onBytes: (bytes: number) => void
  /** Knows what must not be stored. */
  readonly guard?: Guard | undefined
  /** Whether what is unpacked gets the permissions and times of the archive. */
  readonly keepsMetadata?: boolean
}

/**
 * Stores octets as a declaration wants it. What is stored is whole, or is not there at all; what becomes of a device or a pipe is written into it.
 *
 * @throws E_SAVE_EXISTS, E_SAVE_NAME, E_SAVE_TRUSTED, E_TAR
 */
export async function save(
  bytes: AsyncIterable<Uint8Array>,
  saving: Saving,
  { cwd, onBytes, guard, keepsMetadata }: Storing
): Promise<void> {
  const to = resolve(cwd, saving.to)
  if (saving.unpack === 'tar') return unpack(bytes, to, onBytes, guard, keepsMetadata)
  const { path, isWritten } = await destination(to)
  await guard?.check(path, 'file')
  if (isWritten) return writeFile(path, bytes, onBytes, { flag: 'w' })
  await whole(path, async temporary => {
    await writeFile(temporary, bytes, onBytes, { mode: saving.mode })
    return path
  })
}
