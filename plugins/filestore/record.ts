import { base32upper } from 'multiformats/bases/base32'
import { decode } from 'multiformats/hashes/digest'
import { readVarint, varintSize, writeVarint } from '../../core/cid/varint.ts'
import { LENGTH_DELIMITED, VARINT } from '../../core/dag/protobuf.ts'
import { decodeUtf8, encodeUtf8 } from '../../core/go/utf8.ts'
import { Key, messageOf } from '../../core/index.ts'
import { filestoreErrors } from './errors.ts'

export interface PlaceRecord {
  readonly path: string
  readonly offset: number
  readonly size: number
}

/** Where records lie in the datastore (boxo 0.19, filestore). */
export const PREFIX = '/filestore/'

const PATH = 0x0a
const OFFSET = 0x10
const SIZE = 0x18

export function keyOf(multihash: Uint8Array): Key {
  return new Key(PREFIX + base32upper.encoder.baseEncode(multihash), false)
}

/** @returns undefined for a key that names no multihash */
export function multihashOf(key: Key): Uint8Array | undefined {
  try {
    const bytes = base32upper.decoder.baseDecode(key.toString().slice(PREFIX.length))
    decode(bytes)
    return bytes
  } catch {
    return undefined
  }
}

/** The protobuf message: path, offset, size. */
export function encodeRecord({ path, offset, size }: PlaceRecord): Uint8Array {
  const name = encodeUtf8(path)
  const out = new Uint8Array(3 + varintSize(name.length) + name.length + varintSize(offset) + varintSize(size))
  out[0] = PATH
  let at = writeVarint(name.length, out, 1)
  out.set(name, at)
  at += name.length
  out[at] = OFFSET
  at = writeVarint(offset, out, at + 1)
  out[at] = SIZE
  writeVarint(size, out, at + 1)
  return out
}

/** @throws E_REFERENCE_RECORD */
export function decodeRecord(bytes: Uint8Array): PlaceRecord {
  let path = ''
  let offset = 0
  let size = 0
  try {
    for (let at = 0; at < bytes.length; ) {
      const tag = bytes[at++]!
      const { value, size: taken } = readVarint(bytes, at)
      at += taken
      if ((tag & 7) === LENGTH_DELIMITED) {
        if (value > bytes.length - at) throw new Error('unexpected EOF')
        if (tag === PATH) path = decodeUtf8(bytes.subarray(at, at + value))
        at += value
      } else if ((tag & 7) !== VARINT) throw new Error(`wire type ${tag & 7}`)
      else if (tag === OFFSET) offset = value
      else if (tag === SIZE) size = value
    }
  } catch (error) {
    throw filestoreErrors.E_REFERENCE_RECORD(messageOf(error))
  }
  if (path === '') throw filestoreErrors.E_REFERENCE_RECORD('it names no file')
  return { path, offset, size }
}
