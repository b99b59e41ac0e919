import { VarintReader } from '../../cid/varint.ts'
import { addSizes, type Size } from '../../dag/node-links.ts'
import { END_GROUP, FIXED_32, FIXED_64, GROUP, LENGTH_DELIMITED, VARINT } from '../../dag/protobuf.ts'
import { decodeMtime, type Metadata, type Mtime, reservedBits, storedMode } from '../metadata.ts'
import { unixfsErrors } from './errors.ts'

const TYPE = 1
const DATA = 2
const FILESIZE = 3
const BLOCKSIZES = 4
const HASH_TYPE = 5
const FANOUT = 6
const MODE = 7
const MTIME = 8

/** The UnixFS message inside a dag-pb block, read without copying. */
export interface UnixFsData extends Metadata {
  /** A number of `UnixFsType`, or one that means nothing. */
  readonly type: number
  readonly data: Uint8Array | undefined
  /** The bytes that a file declares to have, those below it included; undefined where it does not say. */
  readonly fileSize: Size | undefined
  /** The same, or the sum of its own bytes and of the block sizes where it does not say. */
  readonly size: Size
  readonly hashType: number | undefined
  readonly fanout: number | undefined
  /** How many block sizes it declares. */
  readonly children: number
  /** The declared block sizes, read again from the message: only ranges need them. Above 2^53 the nearest number. */
  blockSizes(): number[]
  /** The same, a bigint where a number is not exact. */
  exactBlockSizes(): Size[]
}

/**
 * Reads a UnixFS message as Kubo 0.28 does (gogo/protobuf): fields with a wrong wire type and unknown ones are skipped, the last of a
 * repeated single field counts.
 *
 * @throws E_PROTOBUF: `unexpected EOF`, a required field that is missing, a wire type that cannot be skipped
 */
export function decodeUnixFs(bytes: Uint8Array | undefined): UnixFsData {
  const message = new Message(bytes ?? new Uint8Array(0))
  if (message.type < 0) throw unixfsErrors.E_PROTOBUF('proto: required field "Type" not set')
  return message
}

class Message implements UnixFsData {
  type = -1
  data: Uint8Array | undefined
  fileSize: Size | undefined
  hashType: number | undefined
  fanout: number | undefined
  children = 0
  mode: number | undefined
  reserved: number | undefined
  #mtime: Uint8Array | undefined
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#read(() => this.children++)
  }

  get size(): Size {
    return this.fileSize ?? this.exactBlockSizes().reduce(addSizes, this.data?.length ?? 0)
  }

  get mtime(): Mtime | undefined {
    return this.#mtime && decodeMtime(this.#mtime)
  }

  blockSizes(): number[] {
    return this.exactBlockSizes().map(Number)
  }

  exactBlockSizes(): Size[] {
    if (this.children === 0) return []
    const sizes: Size[] = []
    this.#read(size => sizes.push(size))
    return sizes
  }

  #read(blockSize: (size: Size) => void): void {
    const bytes = this.#bytes
    const { length } = bytes
    const reader = new VarintReader(bytes)
    while (reader.at < length) {
      const tag = whole(reader.varint(length))
      const field = Math.floor(tag / 8)
      const wire = tag & 7
      if (wire === VARINT) {
        if (field === FILESIZE || field === BLOCKSIZES) {
          const size = exactly(reader, length)
          if (field === FILESIZE) this.fileSize = size
          else blockSize(size)
          continue
        }
        const value = whole(reader.varint(length))
        if (field === TYPE) this.type = value
        else if (field === HASH_TYPE) this.hashType = value
        else if (field === FANOUT) this.fanout = value
        else if (field === MODE) {
          this.mode = storedMode(value % 0x1_0000_0000)
          this.reserved = reservedBits(value % 0x1_0000_0000)
        }
      } else if (wire === LENGTH_DELIMITED) {
        const size = whole(reader.varint(length))
        const end = reader.at + size
        if (end > length) throw unixfsErrors.E_PROTOBUF('unexpected EOF')
        if (field === DATA) this.data = bytes.subarray(reader.at, end)
        else if (field === MTIME) this.#mtime = bytes.subarray(reader.at, end)
        else if (field === BLOCKSIZES) while (reader.at < end) blockSize(exactly(reader, end))
        reader.at = end
      } else skip(reader, wire)
    }
  }
}

function whole(value: number): number {
  if (value < 0) throw unixfsErrors.E_PROTOBUF('unexpected EOF')
  return value
}

function exactly(reader: VarintReader, end: number): Size {
  const size = reader.exact(end)
  whole(Number(size))
  return size
}

/** Steps over a field of a wire type that no UnixFS field has. */
function skip(reader: VarintReader, wire: number): void {
  const { length } = reader.bytes
  let depth = 0
  let next = wire
  do {
    if (next === VARINT) whole(reader.varint(length))
    else if (next === FIXED_64) reader.at += 8
    else if (next === LENGTH_DELIMITED) reader.at += whole(reader.varint(length))
    else if (next === GROUP) depth++
    else if (next === END_GROUP && depth > 0) depth--
    else if (next === FIXED_32) reader.at += 4
    else throw unixfsErrors.E_PROTOBUF(depth > 0 ? 'unexpected EOF' : `proto: can't skip unknown wire type ${next}`)
    if (reader.at > length) throw unixfsErrors.E_PROTOBUF('unexpected EOF')
    if (depth > 0) next = whole(reader.varint(length)) & 7
  } while (depth > 0)
}
