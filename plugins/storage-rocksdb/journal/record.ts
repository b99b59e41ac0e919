import { crc32 } from 'node:zlib'
import { bare } from '../blocks/values.ts'
import { families, type Write } from '../database/writes.ts'

/** `HFJ1`: every record begins so. */
const MAGIC = 0x48464a31
const MAGIC_BYTES = 'HFJ1'
/** Magic, checksum of all behind it, length of the body, number, number of the batch before: 4, 4, 4, 6 and 6 bytes, big endian. */
export const HEADER = 24
const LENGTH_AT = 8
const NUMBER_AT = 12
const BEFORE_AT = 18
/** Bytes before each write of the body: its family and whether it has a value, the length of its key, that of its value. */
const WRITE_HEADER = 9
/** Bytes of a body: more is no record. */
export const LARGEST_BODY = 128 * 1024
/** Bytes of memory that a batch takes beside those of its record, and each write of it, roughly. */
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

/** The bytes of a record, and its writes as views of them: the arrays that they were made of may change. */
export interface Encoded extends JournalRecord {
  readonly bytes: Uint8Array
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

/** @param size - as {@link sizeOf} has it */
export function encode(number: number, before: number, given: readonly Write[], size: number): Encoded {
  const bytes = Buffer.allocUnsafe(size)
  const writes: Write[] = []
  let at = HEADER
  for (const { family, key, value } of given) {
    bytes[at] = families.indexOf(family) * 2 + (value === undefined ? 0 : 1)
    bytes.writeUInt32BE(key.byteLength, at + 1)
    bytes.writeUInt32BE(value?.byteLength ?? 0, at + 5)
    at += WRITE_HEADER
    bytes.set(key, at)
    const keyEnd = at + key.byteLength
    const end = keyEnd + (value?.byteLength ?? 0)
    if (value !== undefined) bytes.set(value, keyEnd)
    writes.push({ family, key: bytes.subarray(at, keyEnd), value: value && bytes.subarray(keyEnd, end) })
    at = end
  }
  bytes.writeUInt32BE(MAGIC, 0)
  bytes.writeUInt32BE(size - HEADER, LENGTH_AT)
  bytes.writeUIntBE(number, NUMBER_AT, 6)
  bytes.writeUIntBE(before, BEFORE_AT, 6)
  bytes.writeUInt32BE(crc32(bytes.subarray(LENGTH_AT)), 4)
  return { number, before, writes, bytes }
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
    const kind = bytes[at]!
    const family = families[kind >> 1]
    if (family === undefined) return undefined
    const keyAt = at + WRITE_HEADER
    if (keyAt > bytes.byteLength) return undefined
    const valueAt = keyAt + bytes.readUInt32BE(at + 1)
    const end = valueAt + bytes.readUInt32BE(at + 5)
    if (end > bytes.byteLength) return undefined
    writes.push({ family, key: bare(bytes.subarray(keyAt, valueAt)), value: kind & 1 ? bare(bytes.subarray(valueAt, end)) : undefined })
    at = end
  }
  return { number: bytes.readUIntBE(NUMBER_AT, 6), before: bytes.readUIntBE(BEFORE_AT, 6), writes }
}
