import { open as openFile } from 'node:fs/promises'
import { pathOf } from './journal-file.ts'
import { decode, HEADER, type JournalRecord, LARGEST_BODY, lengthOf } from './record.ts'

/** Bytes read at a time: a record and its header always fit. */
const READ = 8 * (HEADER + LARGEST_BODY)

/** The records of a file, in their order, up to the first one that is not whole. @returns whether the file ended with its last record */
export async function* recordsOf(folder: string, number: number): AsyncGenerator<JournalRecord, boolean> {
  const file = await openFile(pathOf(folder, number), 'r')
  try {
    let held: Buffer = Buffer.alloc(0)
    let isOver = false
    for (;;) {
      const length = lengthOf(held)
      if (length === undefined ? held.byteLength >= HEADER : held.byteLength >= length) {
        const record = length === undefined ? undefined : decode(held.subarray(0, length))
        if (record === undefined) return false
        yield record
        held = held.subarray(length)
        continue
      }
      if (isOver) return held.byteLength === 0
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
