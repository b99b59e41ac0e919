import fs from 'node:fs'
import { promisify } from 'node:util'
import { read } from '../files.ts'

const writev = promisify(fs.writev)
const ftruncate = promisify(fs.ftruncate)

/** All or nothing: a disk that is full keeps no half of it. */
export async function writeAll(fd: number, pieces: readonly Uint8Array[], position: number): Promise<void> {
  let left = pieces
  let at = position
  try {
    for (;;) {
      let { bytesWritten } = await writev(fd, left as Uint8Array[], at)
      at += bytesWritten
      let done = 0
      while (done < left.length && bytesWritten >= left[done]!.byteLength) bytesWritten -= left[done++]!.byteLength
      if (done === left.length) return
      left = [left[done]!.subarray(bytesWritten), ...left.slice(done + 1)]
    }
  } catch (error) {
    await ftruncate(fd, position).catch(() => {})
    throw error
  }
}

/** Fills `bytes` from a place on. @returns how many there were */
export async function readAt(fd: number, bytes: Uint8Array, position: number): Promise<number> {
  for (let at = 0; ; ) {
    const { bytesRead } = await read(fd, bytes, at, bytes.byteLength - at, position + at)
    at += bytesRead
    if (bytesRead === 0 || at === bytes.byteLength) return at
  }
}
