import { keyErrors } from '../errors/keys.ts'

/** Numbers of key types in libp2p's protobuf messages (libp2p specs, peer-ids). */
export const KEY_TYPES = ['rsa', 'ed25519', 'secp256k1', 'ecdsa'] as const

export type KeyType = (typeof KEY_TYPES)[number]

/** `PublicKey` and `PrivateKey` are the same message: field 1 the type, field 2 the data. */
export function encodeKey(type: KeyType, data: Uint8Array): Uint8Array {
  const length = varint(data.length)
  const bytes = new Uint8Array(3 + length.length + data.length)
  bytes.set([0x08, KEY_TYPES.indexOf(type), 0x12, ...length])
  bytes.set(data, 3 + length.length)
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
  for (let at = 0; at < bytes.length; ) {
    const [tag, afterTag] = readVarint(bytes, at)
    const [value, next] = readVarint(bytes, afterTag)
    const field = tag >> 3
    if (field > 0 && (tag & 7) === 0) {
      if (field === 1) type = KEY_TYPES[value]
      if (field === 1 && type === undefined) throw keyErrors.E_KEY_INVALID('invalid or unsupported key type')
      at = next
    } else if (field > 0 && (tag & 7) === 2) {
      if (value > bytes.length - next) throw malformed()
      if (field === 2) data = bytes.subarray(next, next + value)
      at = next + value
    } else throw malformed()
  }
  const missing = type === undefined ? 'Type' : 'Data'
  if (type === undefined || data === undefined)
    throw keyErrors.E_KEY_INVALID(`proto: required field crypto.pb.${message}.${missing} not set`)
  return { type, data }
}

const malformed = () => keyErrors.E_KEY_INVALID('proto: cannot parse invalid wire-format data')

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}

function readVarint(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) break
    value |= (byte & 0x7f) << (7 * i)
    if (byte < 0x80) return [value, at + i + 1]
  }
  throw malformed()
}
