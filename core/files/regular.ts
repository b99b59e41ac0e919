import { constants, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileErrors } from './errors.ts'

/** An open file, as it was when it was opened. */
interface RegularFile {
  readonly found: Stats
  /** Its first bytes. */
  first(bytes: number): Promise<Buffer>
  /** All of it. */
  whole(): Promise<Buffer>
}

/**
 * Opens a regular file, and closes it when `use` is done with it. A pipe of that name would have whoever opens it wait for a writer, and a
 * device may do anything: neither is opened for good.
 *
 * @throws E_FILE_IRREGULAR for a folder, a pipe, a device or a socket, and the system's error for what cannot be opened
 */
export async function withRegularFile<T>(path: string, use: (file: RegularFile) => Promise<T>): Promise<T> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw fileErrors.E_FILE_IRREGULAR(path)
    return await use({
      found,
      whole: () => handle.readFile(),
      async first(bytes) {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0)
        return buffer.subarray(0, bytesRead)
      }
    })
  } finally {
    await handle.close()
  }
}
