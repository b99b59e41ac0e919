import { type FileHandle, open as openFile } from 'node:fs/promises'
import { pathOf } from './journal-file.ts'
import { beginOf, decode, HEADER, type JournalRecord, LARGEST_BODY, lengthOf } from './record.ts'

/** Bytes read at a time: a record and its header always fit. */
const READ = 8 * (HEADER + LARGEST_BODY)

/** Where a file is broken, in bytes from its beginning, and how many records it seems to have behind that which count. */
export interface Break {
  readonly at: number
  readonly behind: number
}

/**
 * The records of a file, in their order, up to the first one that is not whole.
 *
 * @param after - records up to this number do not count behind a break
 * @returns undefined where the file ended with its last record
 */
export async function* recordsOf(folder: string, number: number, after = 0): AsyncGenerator<JournalRecord, Break | undefined> {
  const file = await openFile(pathOf(folder, number), 'r')
  try {
    let held: Buffer = Buffer.alloc(0)
    let at = 0
    let isOver = false
    for (;;) {
      const length = lengthOf(held)
      if (length === undefined ? held.byteLength >= HEADER : held.byteLength >= length) {
        const record = length === undefined ? undefined : decode(held.subarray(0, length))
        if (record === undefined) return { at, behind: await countBehind(file, at, after) }
        yield record
        held = held.subarray(length)
        at += length!
        continue
      }
      if (isOver) return held.byteLength === 0 ? undefined : { at, behind: await countBehind(file, at, after) }
      // Memory of its own: what was read before may be on its way to the database.
      const bytes = Buffer.allocUnsafeSlow(held.byteLength + READ)
      held.copy(bytes)
      const { bytesRead } = await file.read(bytes, held.byteLength, READ)
      isOver = bytesRead === 0
      held = bytes.subarray(0, held.byteLength + bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** A guess for a person alone: what lies in the values of a record may look like records as well. */
async function countBehind(file: FileHandle, at: number, after: number): Promise<number> {
  const { size } = await file.stat()
  const bytes = Buffer.alloc(size - at)
  const { bytesRead } = await file.read(bytes, 0, bytes.byteLength, at)
  let count = 0
  for (let begin = beginOf(bytes, 1); begin >= 0; ) {
    const length = lengthOf(bytes.subarray(begin, bytesRead))
    const record = length === undefined || begin + length > bytesRead ? undefined : decode(bytes.subarray(begin, begin + length))
    if (record !== undefined && record.number > after) count++
    begin = beginOf(bytes, begin + (record === undefined ? 1 : length!))
  }
  return count
}
