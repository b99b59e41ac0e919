/** Tags, numbers and lengths of protobuf, for any message: dag-pb reads with them, and so does bitswap. */
import { OVERFLOW, VarintReader } from '../cid/varint.ts'
import { dagErrors } from './errors.ts'

/** Wire types of protobuf. */
export const VARINT = 0
export const FIXED_64 = 1
export const LENGTH_DELIMITED = 2
export const GROUP = 3
export const END_GROUP = 4
export const FIXED_32 = 5

/** The number at the cursor. @throws E_UNEXPECTED_EOF, E_PB_VARINT */
export function readNumber(reader: VarintReader, end: number): number {
  const value = reader.varint(end)
  if (value >= 0) return value
  throw value === OVERFLOW ? dagErrors.E_PB_VARINT() : dagErrors.E_UNEXPECTED_EOF()
}

/** Field number × 8 + wire type. @throws E_PB_FIELD */
export function readTag(reader: VarintReader, end: number): number {
  const tag = readNumber(reader, end)
  if (tag < 8 || tag >= 0x400000000) throw dagErrors.E_PB_FIELD()
  return tag
}

/** Where the length-delimited field at the cursor ends; the cursor moves to its start. */
export function endOf(reader: VarintReader, end: number): number {
  const size = readNumber(reader, end)
  if (size > end - reader.at) throw dagErrors.E_UNEXPECTED_EOF()
  return reader.at + size
}

/** A cursor over protobuf (google.golang.org/protobuf, protowire). */
export class ProtobufReader extends VarintReader {
  readonly end: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    super(bytes, at)
    this.end = end
  }

  /** @throws E_UNEXPECTED_EOF, E_PB_VARINT */
  number(): number {
    return readNumber(this, this.end)
  }

  /** Field number × 8 + wire type. @throws E_PB_FIELD */
  tag(): number {
    return readTag(this, this.end)
  }

  /** Where the length-delimited field at the cursor ends; the cursor moves to its start. */
  delimited(): number {
    return endOf(this, this.end)
  }
}
