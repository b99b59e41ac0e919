import fs from 'node:fs'
import { promisify } from 'node:util'
import { read } from '../files.ts'

const writev = promisify(fs.writev)
const ftruncate = promisify(fs.ftruncate)

/** All or nothing: a disk that is full keeps no half of it. */
export async function writeAll(fd: number, pieces: readonly Uint8Array[], position: number): Promise<void> {
  const left = new Remainder(pieces, position)
  try {
    while (!left.isEmpty) left.took((await writev(fd, left.pieces, left.at)).bytesWritten)
  } catch (error) {
    await ftruncate(fd, position).catch(() => {})
    throw error
  }
}

/** The same from the event loop itself, which waits for it. */
export function writeAllNow(fd: number, pieces: readonly Uint8Array[], position: number): void {
  const left = new Remainder(pieces, position)
  try {
    while (!left.isEmpty) left.took(fs.writevSync(fd, left.pieces, left.at))
  } catch (error) {
    try {
      fs.ftruncateSync(fd, position)
    } catch {}
    throw error
  }
}

/** What is left of a write, as the system may take part of it. */
class Remainder {
  pieces: Uint8Array[]
  /** Where it goes. */
  at: number

  constructor(pieces: readonly Uint8Array[], position: number) {
    this.pieces = pieces as Uint8Array[]
    this.at = position
  }

  get isEmpty(): boolean {
    return this.pieces.length === 0
  }

  took(bytes: number): void {
    if (bytes === 0) throw new Error('the system took nothing of a write')
    this.at += bytes
    let done = 0
    let part = bytes
    while (done < this.pieces.length && part >= this.pieces[done]!.byteLength) part -= this.pieces[done++]!.byteLength
    this.pieces = done === this.pieces.length ? [] : [this.pieces[done]!.subarray(part), ...this.pieces.slice(done + 1)]
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
