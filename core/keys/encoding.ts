import { VarintReader, varintSize, writeVarint } from '../cid/varint.ts'
import { keyErrors } from './errors.ts'

/** Numbers of key types in libp2p's protobuf messages (libp2p specs, peer-ids). */
export const KEY_TYPES = ['rsa', 'ed25519', 'secp256k1', 'ecdsa'] as const

export type KeyType = (typeof KEY_TYPES)[number]

/** `PublicKey` and `PrivateKey` are the same message: field 1 the type, field 2 the data. */
export function encodeKey(type: KeyType, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(3 + varintSize(data.length) + data.length)
  bytes.set([0x08, KEY_TYPES.indexOf(type), 0x12])
  bytes.set(data, writeVarint(data.length, bytes, 3))
  return bytes
}

/**
 * Reads a `PublicKey` or `PrivateKey` message; unknown fields are passed over. Texts: google.golang.org/protobuf 1.33, go-libp2p 0.33.
 *
 * @throws E_KEY_INVALID
 */
export function decodeKey(bytes: Uint8Array, message: 'PublicKey' | 'PrivateKey'): { type: KeyType; data: Uint8Array } {
  let type: KeyType | undefined
  let data: Uint8Array | undefined
  const reader = new VarintReader(bytes)
  while (reader.at < bytes.length) {
    const tag = number(reader)
    const value = number(reader)
    const field = tag >> 3
    if (field > 0 && (tag & 7) === 0) {
      if (field === 1) type = KEY_TYPES[value]
      if (field === 1 && type === undefined) throw keyErrors.E_KEY_INVALID('invalid or unsupported key type')
    } else if (field > 0 && (tag & 7) === 2) {
      const end = reader.at + value
      if (end > bytes.length) throw malformed()
      if (field === 2) data = bytes.subarray(reader.at, end)
      reader.at = end
    } else throw malformed()
  }
  const missing = type === undefined ? 'Type' : 'Data'
  if (type === undefined || data === undefined)
    throw keyErrors.E_KEY_INVALID(`proto: required field crypto.pb.${message}.${missing} not set`)
  return { type, data }
}

const malformed = () => keyErrors.E_KEY_INVALID('proto: cannot parse invalid wire-format data')

/** A longer varint means nothing in a message of a key. */
const LONGEST_VARINT = 4

function number(reader: VarintReader): number {
  const { at, bytes } = reader
  const value = reader.varint(bytes.length)
  if (value < 0 || reader.at - at > LONGEST_VARINT) throw malformed()
  return value
}
