import { VarintReader, varintSize, writeVarint } from '../cid/varint.ts'
import { numberLength, writeNumber } from '../dag/pb-write.ts'

/** A time of modification: seconds since 1970, which may be negative, and nanoseconds from 0 to 999,999,999 after them. */
export interface Mtime {
  readonly seconds: bigint
  readonly nanoseconds: number
}

/** Metadata of UnixFS 1.5: the mode and time of the file that a node was; absent where it has none. */
export interface Metadata {
  /** Permissions as POSIX numbers them: nine bits, and 0o4000, 0o2000, 0o1000 for setuid, setgid and sticky. Never 0. */
  readonly mode?: number | undefined
  /** Bits of its mode that mean nothing yet: kept as they are when the node changes (UnixFS 1.5). */
  readonly reserved?: number | undefined
  readonly mtime?: Mtime | undefined
}

/** The time that Go calls zero, 1 January of the year 1: a node that has it has none. */
export const ZERO_TIME = -62_135_596_800n
export const MOST_NANOSECONDS = 999_999_999
const PERMISSIONS = 0o7777

/** Tags of the fields: number and wire type. */
const MODE = 0x38
const MTIME = 0x42
const SECONDS = 0x08
const FRACTION = 0x15
const VARINT = 0
const BYTES = 2
const FIXED64 = 1
const FIXED32 = 5

/** Permissions as a node stores them; undefined for none. */
export function storedMode(bits: number): number | undefined {
  return bits & PERMISSIONS || undefined
}

/** The bits of a stored mode that are no permissions; undefined for none. */
export function reservedBits(mode: number): number | undefined {
  return (mode & ~PERMISSIONS) >>> 0 || undefined
}

/** What a node says of the file that it was, apart from the rest of its message. */
export function metadataOf({ mode, reserved, mtime }: Metadata): Metadata {
  return { mode, reserved, mtime }
}

export function isEmpty({ mode, reserved, mtime }: Metadata): boolean {
  return mode === undefined && reserved === undefined && mtime === undefined
}

/** A time as a node stores it: nanoseconds above a second carry over. Undefined for Go's zero. */
export function storedMtime(seconds: bigint, nanoseconds: number | bigint = 0): Mtime | undefined {
  const fraction = BigInt(nanoseconds)
  const billion = BigInt(MOST_NANOSECONDS + 1)
  const nonNegative = ((fraction % billion) + billion) % billion
  const whole = BigInt.asIntN(64, seconds + (fraction - nonNegative) / billion)
  return whole === ZERO_TIME && nonNegative === 0n ? undefined : { seconds: whole, nanoseconds: Number(nonNegative) }
}

/** The present time, to the millisecond. */
export function timeNow(): Mtime {
  const now = Date.now()
  return { seconds: BigInt(Math.floor(now / 1000)), nanoseconds: (now % 1000) * 1_000_000 }
}

/**
 * The UnixFS message of a node with these metadata in the place of its own (UnixFS 1.5, fields 7 and 8); all other fields stay as they are.
 *
 * @param data - a message that was read before
 */
export function withMetadata(data: Uint8Array, metadata: Metadata): Uint8Array {
  const kept = withoutMetadata(data)
  const { mtime } = metadata
  const mode = ((metadata.mode ?? 0) | (metadata.reserved ?? 0)) >>> 0 || undefined
  const inner = mtime === undefined ? 0 : numberLength(unsigned(mtime.seconds)) + (mtime.nanoseconds > 0 ? 5 : 0)
  const out = new Uint8Array(
    kept.length + (mode === undefined ? 0 : numberLength(mode)) + (mtime === undefined ? 0 : 1 + varintSize(inner) + inner)
  )
  out.set(kept)
  let at = kept.length
  if (mode !== undefined) at = writeNumber(out, at, MODE, mode)
  if (mtime === undefined) return out
  out[at] = MTIME
  at = writeVarint(inner, out, at + 1)
  at = writeNumber(out, at, SECONDS, unsigned(mtime.seconds))
  if (mtime.nanoseconds === 0) return out
  out[at] = FRACTION
  new DataView(out.buffer, out.byteOffset).setUint32(at + 1, mtime.nanoseconds, true)
  return out
}

function withoutMetadata(data: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = []
  for (const { tag, start, end } of fieldsOf(data)) if (tag !== MODE && tag !== MTIME) kept.push(data.subarray(start, end))
  return kept.length === 1 ? kept[0]! : Buffer.concat(kept)
}

/** The time of a message in field 8; undefined for Go's zero, and for what is no time. */
export function decodeMtime(message: Uint8Array): Mtime | undefined {
  let seconds: bigint | undefined
  let nanoseconds = 0
  for (const { tag, value, end } of fieldsOf(message)) {
    if (tag === SECONDS) seconds = BigInt.asIntN(64, BigInt(value))
    else if (tag === FRACTION) nanoseconds = new DataView(message.buffer, message.byteOffset).getUint32(end - 4, true)
  }
  return seconds === undefined || nanoseconds > MOST_NANOSECONDS ? undefined : storedMtime(seconds, nanoseconds)
}

/** The fields of a message as far as they are whole, and of those that are numbers their value. */
function* fieldsOf(bytes: Uint8Array): Generator<{ tag: number; value: number | bigint; start: number; end: number }> {
  const { length } = bytes
  const reader = new VarintReader(bytes)
  while (reader.at < length) {
    const start = reader.at
    const tag = reader.varint(length)
    const wire = tag & 7
    let value: number | bigint = 0
    if (wire === VARINT) value = reader.exact(length)
    else if (wire === BYTES) {
      const size = reader.varint(length)
      reader.at = size < 0 ? length + 1 : reader.at + size
    } else if (wire === FIXED64) reader.at += 8
    else if (wire === FIXED32) reader.at += 4
    else reader.at = length + 1
    if (tag < 0 || value < 0 || reader.at > length) return
    yield { tag, value, start, end: reader.at }
  }
}

function unsigned(seconds: bigint): bigint | number {
  return seconds >= 0n && seconds <= Number.MAX_SAFE_INTEGER ? Number(seconds) : BigInt.asUintN(64, seconds)
}
