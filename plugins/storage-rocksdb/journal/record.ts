import { crc32 } from 'node:zlib'
import { families, type Write } from '../database/writes.ts'
import { crcTable, turnBack } from '../tables/one-bit.ts'

/** `HFJ1`: every record begins so. */
const MAGIC = 0x48464a31
const MAGIC_BYTES = 'HFJ1'
/** Magic, checksum of all behind it, length of the body, number, number of the batch before: 4, 4, 4, 6 and 6 bytes, big endian. */
export const HEADER = 24
const LENGTH_AT = 8
const NUMBER_AT = 12
const BEFORE_AT = 18
/** Bytes before each write of the body: its family and whether it has a value, the length of its key, that of its value. */
export const WRITE_HEADER = 9
/** Bytes of a body: more is no record. */
export const LARGEST_BODY = 128 * 1024
/** Bytes of memory that a batch takes beside those of its record, and each write of it, roughly, while RocksDB is given it. */
const BATCH_OVERHEAD = 256
const WRITE_OVERHEAD = 512

/** A batch as the journal has it. */
export interface JournalRecord {
  /** The number of this batch among all that the database was given, in their order. */
  readonly number: number
  /** The number of the batch before it, wherever that was written: without it this one must not be believed. */
  readonly before: number
  readonly writes: readonly Write[]
}

/** Bytes that the record of a batch takes. */
export function sizeOf(writes: readonly Write[]): number {
  let size = HEADER
  for (const { key, value } of writes) size += WRITE_HEADER + key.byteLength + (value?.byteLength ?? 0)
  return size
}

/** Bytes of memory that a batch takes, roughly: of small writes many times those of its record. */
export function memoryOf(writes: readonly Write[]): number {
  return sizeOf(writes) + BATCH_OVERHEAD + writes.length * WRITE_OVERHEAD
}

/** The most writes of batches that take so many bytes of memory together, and of one more record. */
export function mostWrites(memory: number, record: number): number {
  return Math.ceil(memory / WRITE_OVERHEAD) + Math.ceil(record / WRITE_HEADER)
}

/** Writes a record into memory that has room for it, as {@link sizeOf} says. */
export function encode({ number, before, writes }: JournalRecord, bytes: Buffer): void {
  let at = HEADER
  for (const { family, key, value } of writes) {
    bytes[at] = families.indexOf(family) * 2 + (value === undefined ? 0 : 1)
    bytes.writeUInt32BE(key.byteLength, at + 1)
    bytes.writeUInt32BE(value?.byteLength ?? 0, at + 5)
    at += WRITE_HEADER
    bytes.set(key, at)
    at += key.byteLength
    if (value === undefined) continue
    bytes.set(value, at)
    at += value.byteLength
  }
  bytes.writeUInt32BE(MAGIC, 0)
  bytes.writeUInt32BE(at - HEADER, LENGTH_AT)
  bytes.writeUIntBE(number, NUMBER_AT, 6)
  bytes.writeUIntBE(before, BEFORE_AT, 6)
  bytes.writeUInt32BE(crc32(bytes.subarray(LENGTH_AT, at)), 4)
}

/** Where the next record may begin; -1 where none does. */
export function beginOf(bytes: Buffer, from: number): number {
  return bytes.indexOf(MAGIC_BYTES, from)
}

/** The length of the record that begins with this header; undefined where none does. */
export function lengthOf(header: Buffer): number | undefined {
  if (header.byteLength < HEADER || header.readUInt32BE(0) !== MAGIC) return undefined
  const body = header.readUInt32BE(LENGTH_AT)
  return body > LARGEST_BODY ? undefined : HEADER + body
}

/** @param bytes - as many as {@link lengthOf} says @returns undefined where they are not what was written */
export function decode(bytes: Buffer): JournalRecord | undefined {
  if (bytes.readUInt32BE(4) !== crc32(bytes.subarray(LENGTH_AT))) return undefined
  const writes: Write[] = []
  for (let at = HEADER; at < bytes.byteLength; ) {
    const end = endOfWrite(bytes, at)
    if (end === undefined) return undefined
    writes.push(writeAt(bytes, at))
    at = end
  }
  return { number: bytes.readUIntBE(NUMBER_AT, 6), before: bytes.readUIntBE(BEFORE_AT, 6), writes }
}

/** The end of the write that begins at a place of a record; undefined where none does. */
function endOfWrite(bytes: Buffer, at: number): number | undefined {
  if (families[bytes[at]! >> 1] === undefined || at + WRITE_HEADER > bytes.byteLength) return undefined
  const end = at + WRITE_HEADER + bytes.readUInt32BE(at + 1) + bytes.readUInt32BE(at + 5)
  return end > bytes.byteLength ? undefined : end
}

/** The write that begins at a place of a record, as views of its memory. */
export function writeAt(bytes: Buffer, at: number): Write {
  const { buffer, byteOffset } = bytes
  const kind = bytes[at]!
  const keyAt = byteOffset + at + WRITE_HEADER
  const keyLength = bytes.readUInt32BE(at + 1)
  const value = kind & 1 ? new Uint8Array(buffer, keyAt + keyLength, bytes.readUInt32BE(at + 5)) : undefined
  return { family: families[kind >> 1]!, key: new Uint8Array(buffer, keyAt, keyLength), value }
}

const TABLE = crcTable(0xedb88320)

/** Turns back the one bit of the record at a place that is wrong. @returns the place of its byte; undefined where more is */
export function mendAt(bytes: Buffer, at: number): number | undefined {
  const isWhole = () => {
    const length = lengthOf(bytes.subarray(at))
    return length !== undefined && at + length <= bytes.length && decode(bytes.subarray(at, at + length)) !== undefined
  }
  for (let byte = at; byte < Math.min(at + HEADER, bytes.length); byte++)
    for (let mask = 1; mask < 256; mask <<= 1) {
      bytes[byte]! ^= mask
      if (isWhole()) return byte
      bytes[byte]! ^= mask
    }
  const length = lengthOf(bytes.subarray(at))
  if (length === undefined || at + length > bytes.length) return undefined
  const difference = (crc32(bytes.subarray(at + LENGTH_AT, at + length)) ^ bytes.readUInt32BE(at + 4)) | 0
  return turnBack(bytes, { from: at + HEADER, end: at + length, difference, table: TABLE })
}
