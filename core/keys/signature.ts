import { type KeyObject, sign as signWith, verify as verifyWith } from 'node:crypto'
import { decodeKey, type KeyType } from './encoding.ts'
import { keyErrors } from './errors.ts'
import { privateKeyObject, publicKeyObject } from './key-object.ts'

/** The order of secp256k1. Each message has two signatures; libraries take the one whose `s` is in the lower half (BIP 62). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Signs as libp2p does: ed25519 as it is, RSA by PKCS #1 v1.5, the curves by ECDSA in DER, these three with SHA-256.
 *
 * @param privateKey - libp2p protobuf
 * @throws E_KEY_INVALID
 */
export function sign(privateKey: Uint8Array, bytes: Uint8Array): Uint8Array {
  const { type, data } = decodeKey(privateKey, 'PrivateKey')
  const key = privateKeyObject(type, data)
  return type === 'secp256k1' ? signLow(key, bytes) : signWith(digestOf(type), bytes, key)
}

/**
 * Whether `signature` is one of `bytes` with this key.
 *
 * @param publicKey - libp2p protobuf
 * @throws E_KEY_INVALID; E_SIGNATURE_RSA where one by RSA is not, as the reference tells it
 */
export function verify(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  const { type, data } = decodeKey(publicKey, 'PublicKey')
  const isValid = verifyWith(digestOf(type), bytes, publicKeyObject(type, data), signature)
  if (type === 'rsa' && !isValid) throw keyErrors.E_SIGNATURE_RSA()
  return isValid
}

const digestOf = (type: KeyType) => (type === 'ed25519' ? null : 'sha256')

function signLow(key: KeyObject, bytes: Uint8Array): Uint8Array {
  const pair = signWith('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
  const s = BigInt(`0x${pair.subarray(32).toString('hex')}`)
  const low = s > ORDER / 2n ? ORDER - s : s
  const [r, t] = [integer(pair.subarray(0, 32)), integer(Buffer.from(low.toString(16).padStart(64, '0'), 'hex'))]
  return Buffer.concat([Uint8Array.of(0x30, r.length + t.length), r, t])
}

/** A positive number as DER has it. */
function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex(byte => byte !== 0)
  const digits = bytes.subarray(first < 0 ? bytes.length - 1 : first)
  const padded = (digits[0]! & 0x80) === 0 ? digits : Buffer.concat([Uint8Array.of(0), digits])
  return Buffer.concat([Uint8Array.of(0x02, padded.length), padded])
}
