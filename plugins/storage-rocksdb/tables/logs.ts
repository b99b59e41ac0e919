/** Reads RocksDB's logs, of writes and of its tables (`MANIFEST`), and turns back a single wrong bit, which the checksum of its record gives away. */

import type { Entry } from './block.ts'
import { crcTable, turnBack } from './one-bit.ts'

const BLOCK = 32 * 1024
const HEADER = 7
const POLYNOMIAL = 0x82f63b78
const MASK_DELTA = 0xa282ead8
/** Kinds of pieces of a record. Those above carry the number of the log, or are notes for a reader. */
const [FULL, FIRST, LAST] = [1, 2, 4] as const
const MOST_KIND = 4
/** Bytes before the writes of a batch: the number of the first, and how many they are. */
const BATCH_HEADER = 12
/** What a write of a batch does: in the default family, or in one whose number follows. */
const [DELETION, VALUE, FAMILY_DELETION, FAMILY_VALUE, NOTHING] = [0, 1, 4, 5, 13] as const

const TABLE = crcTable(POLYNOMIAL)

/** Bits that were turned back, and whether what is behind the last one that was not is lost to RocksDB. */
export interface LogState {
  readonly records: readonly Buffer[]
  /** Where single bits were wrong, and are right in `bytes` now. */
  readonly mended: readonly number[]
  /** Where the first piece begins that cannot be read. */
  readonly broken: number | undefined
  /** Whole pieces behind that. */
  readonly behind: number
}

/**
 * The records of a log, in whose bytes single wrong bits are turned back. What was torn off at its end is no damage.
 *
 * @param isKept - whether the records are asked for
 */
export function readLog(bytes: Buffer, isKept = true): LogState {
  const records: Buffer[] = []
  const mended: number[] = []
  let parts: Buffer[] = []
  let broken: number | undefined
  let behind = 0
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const left = BLOCK - (at % BLOCK)
    if (left < HEADER) {
      at += left
      continue
    }
    // The rest of what was set aside for the log.
    if (bytes.readUInt32LE(at) === 0 && bytes.readUInt16LE(at + 4) === 0 && bytes[at + 6] === 0 && isEmpty(bytes, at)) break
    let piece = pieceAt(bytes, at)
    if (piece === undefined) {
      const flipped = mend(bytes, at)
      if (flipped !== undefined) mended.push(flipped)
      piece = flipped === undefined ? undefined : pieceAt(bytes, at)
    }
    if (piece === undefined) {
      broken ??= at
      parts = []
      at = nextPiece(bytes, at)
      continue
    }
    if (broken !== undefined) behind++
    const { kind, body } = piece
    if (kind === FULL || kind === FIRST) parts = []
    if (kind === FULL || kind === FIRST || parts.length > 0) parts.push(body)
    if ((kind === FULL || kind === LAST) && parts.length > 0) {
      if (isKept) records.push(Buffer.concat(parts))
      parts = []
    }
    at += HEADER + body.length
  }
  return { records, mended, broken, behind }
}

/** The writes of a batch that a log of writes has, up to one that is not of this store's kinds. */
export function* writesOf(record: Buffer): Generator<Entry> {
  if (record.length < BATCH_HEADER) return
  let number = record.readUIntLE(0, 6) + record.readUInt16LE(6) * 2 ** 48
  let at = BATCH_HEADER
  const length = () => {
    let value = 0
    for (let factor = 1; at < record.length && factor < 2 ** 35; factor *= 128) {
      const byte = record[at++]!
      value += (byte & 127) * factor
      if (byte < 128) break
    }
    return value
  }
  const take = () => {
    const size = length()
    at += size
    return record.subarray(at - size, at)
  }
  while (at < record.length) {
    const kind = record[at++]
    if (kind === NOTHING) continue
    if (kind !== DELETION && kind !== VALUE && kind !== FAMILY_DELETION && kind !== FAMILY_VALUE) return
    if (kind === FAMILY_DELETION || kind === FAMILY_VALUE) length()
    const key = take()
    const value = kind === VALUE || kind === FAMILY_VALUE ? take() : undefined
    if (at > record.length) return
    yield { key, value, number: number++ }
  }
}

function isEmpty(bytes: Buffer, at: number): boolean {
  return bytes.subarray(at).every(byte => byte === 0)
}

function pieceAt(bytes: Buffer, at: number): { kind: number; body: Buffer } | undefined {
  const kind = bytes[at + 6]!
  const end = at + HEADER + bytes.readUInt16LE(at + 4)
  if (kind === 0 || kind > MOST_KIND || end > bytes.length || end > at - (at % BLOCK) + BLOCK) return undefined
  return sum(bytes, at + 6, end) === unmasked(bytes.readUInt32LE(at)) ? { kind, body: bytes.subarray(at + HEADER, end) } : undefined
}

/** Where the next piece may begin: behind this one, if its length is right, or with the next part of the log, in which no piece goes on. */
function nextPiece(bytes: Buffer, at: number): number {
  const behind = at + HEADER + bytes.readUInt16LE(at + 4)
  if (behind + HEADER <= bytes.length && pieceAt(bytes, behind) !== undefined) return behind
  return at - (at % BLOCK) + BLOCK
}

/** Turns a wrong bit of a piece back. @returns the place of its byte; undefined where more is wrong */
function mend(bytes: Buffer, at: number): number | undefined {
  for (let bit = 0; bit < HEADER * 8; bit++) {
    bytes[at + (bit >> 3)]! ^= 1 << (bit & 7)
    if (pieceAt(bytes, at) !== undefined) return at + (bit >> 3)
    bytes[at + (bit >> 3)]! ^= 1 << (bit & 7)
  }
  const end = at + HEADER + bytes.readUInt16LE(at + 4)
  if (end > bytes.length) return undefined
  const difference = sum(bytes, at + 6, end) ^ unmasked(bytes.readUInt32LE(at))
  return turnBack(bytes, { from: at + HEADER, end, difference, table: TABLE })
}

/** CRC-32C. */
function sum(bytes: Buffer, from: number, end: number): number {
  let crc = -1
  for (let at = from; at < end; at++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[at]!) & 255]!
  return ~crc
}

/** RocksDB keeps sums turned round, since they are of texts that hold sums. */
function unmasked(masked: number): number {
  const turned = (masked - MASK_DELTA) | 0
  return (turned >>> 17) | (turned << 15)
}
