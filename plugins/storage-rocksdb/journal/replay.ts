import { type FileHandle, open as openFile } from 'node:fs/promises'
import { pathOf } from './journal-file.ts'
import { beginOf, decode, HEADER, type JournalRecord, LARGEST_BODY, lengthOf, mendAt } from './record.ts'

/** Bytes read at a time: a record and its header always fit. */
const READ = 8 * (HEADER + LARGEST_BODY)

/** Bytes behind a break in which records are counted. */
const MOST_COUNTED = 64 << 20
/** Bytes summed up for that, for each byte that was read: what lies in values may look like records without end. */
const MOST_SUMS = 16

/** From where on a file may not be believed, in bytes from its beginning, and how many records it seems to have from there on, at least. */
export interface Break {
  readonly at: number
  readonly behind: number
}

/** The last batch that is there, whoever has it. */
export interface Chain {
  last: number
  /** Where given, what comes behind a batch that is missing is believed, and such places are counted. */
  gaps?: number
}

/**
 * The records of a file that go on where a chain ends, which goes on with them, up to the first one that is not whole, or before which a batch is
 * missing.
 *
 * @returns undefined where the file ended with its last record
 */
export async function* recordsOf(folder: string, number: number, chain: Chain): AsyncGenerator<JournalRecord, Break | undefined> {
  const file = await openFile(pathOf(folder, number), 'r')
  try {
    let held: Buffer = Buffer.alloc(0)
    let at = 0
    let isOver = false
    for (;;) {
      const length = lengthOf(held)
      if (length === undefined ? held.byteLength >= HEADER : held.byteLength >= length) {
        const record = length === undefined ? undefined : decode(held.subarray(0, length))
        // a power loss, or a break before, took what came in between
        const isGap = record !== undefined && record.before > chain.last
        if (record === undefined || (isGap && chain.gaps === undefined)) return { at, behind: await count(file, at, chain.last) }
        if (isGap) chain.gaps!++
        if (record.number > chain.last) {
          chain.last = record.number
          yield record
        }
        held = held.subarray(length)
        at += length!
        continue
      }
      if (isOver) return held.byteLength === 0 ? undefined : { at, behind: await count(file, at, chain.last) }
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

/** How many records a file seems to have that are newer than a batch, at least. */
export async function countRecords(folder: string, number: number, after: number): Promise<number> {
  const file = await openFile(pathOf(folder, number), 'r')
  try {
    return await count(file, 0, after)
  } finally {
    await file.close()
  }
}

/** A guess for a person alone: what lies in the values of a record may look like records as well. */
async function count(file: FileHandle, from: number, after: number): Promise<number> {
  let found = 0
  let sums = 0
  let held: Buffer = Buffer.alloc(0)
  for (let at = from; ; ) {
    const buffer = Buffer.allocUnsafeSlow(held.byteLength + READ)
    held.copy(buffer)
    const { bytesRead } = await file.read(buffer, held.byteLength, READ, at)
    at += bytesRead
    const bytes = buffer.subarray(0, held.byteLength + bytesRead)
    const isOver = bytesRead === 0 || at - from >= MOST_COUNTED
    let begin = beginOf(bytes, 0)
    while (begin >= 0) {
      const length = lengthOf(bytes.subarray(begin))
      const isThere = length !== undefined && begin + length <= bytes.byteLength
      // The rest of it may come yet.
      if (!isOver && !isThere && bytes.byteLength - begin < (length ?? HEADER)) break
      if (isThere) sums += length
      if (sums > MOST_SUMS * (at - from)) return found
      const record = isThere ? decode(bytes.subarray(begin, begin + length)) : undefined
      if (record !== undefined && record.number > after) found++
      begin = beginOf(bytes, begin + (record === undefined ? 1 : length!))
    }
    if (isOver) return found
    // One may begin with the last bytes.
    held = bytes.subarray(begin >= 0 ? begin : Math.max(0, bytes.byteLength - 3))
  }
}

/** Turns back single wrong bits of a file's records, up to one in which more is wrong. @returns the places of their bytes */
export async function mendRecords(folder: string, number: number): Promise<number[]> {
  const places: number[] = []
  for (;;) {
    const reading = recordsOf(folder, number, { last: Number.POSITIVE_INFINITY })
    const { value: broken } = await reading.next()
    if (broken === undefined || !('at' in broken)) return places
    const file = await openFile(pathOf(folder, number), 'r+')
    try {
      const bytes = Buffer.alloc(HEADER + LARGEST_BODY)
      const { bytesRead } = await file.read(bytes, 0, bytes.length, broken.at)
      const place = mendAt(bytes.subarray(0, bytesRead), 0)
      if (place === undefined) return places
      await file.write(bytes, place, 1, broken.at + place)
      await file.datasync()
      places.push(broken.at + place)
    } finally {
      await file.close()
    }
  }
}
