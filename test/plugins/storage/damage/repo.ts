/** A repo that a test damages, a bit at a time. */
import { open } from 'node:fs/promises'

/** One bit of a file is another, as on a disk that ages. */
export async function flip(path: string, at: number, bit = 4): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const byte = new Uint8Array(1)
    await file.read(byte, 0, 1, at)
    byte[0]! ^= 1 << bit
    await file.write(byte, 0, 1, at)
  } finally {
    await file.close()
  }
}
