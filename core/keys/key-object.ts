import { createECDH, createPrivateKey, createPublicKey, ECDH, type KeyObject } from 'node:crypto'
import type { KeyType } from './encoding.ts'

/** Bytes before the seed in the PKCS #8 form of an ed25519 key (RFC 8410). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Bytes before the point in the SubjectPublicKeyInfo form of an ed25519 key (RFC 8410). */
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex')

const SEED = 32

/**
 * The key that Node.js works with, of what stands in `PrivateKey.Data`.
 *
 * @throws an error of Node.js for data that is no such key
 */
export function privateKeyObject(type: KeyType, data: Uint8Array): KeyObject {
  switch (type) {
    case 'ed25519':
      return createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, data.subarray(0, SEED)]), format: 'der', type: 'pkcs8' })
    case 'rsa':
      return createPrivateKey({ key: Buffer.from(data), format: 'der', type: 'pkcs1' })
    case 'ecdsa':
      return createPrivateKey({ key: Buffer.from(data), format: 'der', type: 'sec1' })
    case 'secp256k1': {
      const curve = createECDH('secp256k1')
      curve.setPrivateKey(data)
      return createPrivateKey({ key: { ...pointOf(curve.getPublicKey()), d: Buffer.from(data).toString('base64url') }, format: 'jwk' })
    }
  }
}

/**
 * The same of what stands in `PublicKey.Data`.
 *
 * @throws an error of Node.js for data that is no such key
 */
export function publicKeyObject(type: KeyType, data: Uint8Array): KeyObject {
  switch (type) {
    case 'ed25519':
      return createPublicKey({ key: Buffer.concat([SPKI_ED25519, data]), format: 'der', type: 'spki' })
    case 'rsa':
    case 'ecdsa':
      return createPublicKey({ key: Buffer.from(data), format: 'der', type: 'spki' })
    case 'secp256k1': {
      const point = ECDH.convertKey(data, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer
      return createPublicKey({ key: pointOf(point), format: 'jwk' })
    }
  }
}

/** The bytes of `PublicKey.Data` for a private key. */
export function publicDataOf(type: KeyType, key: KeyObject): Uint8Array {
  if (type === 'rsa' || type === 'ecdsa') return createPublicKey(key).export({ type: 'spki', format: 'der' })
  const { x, y } = key.export({ format: 'jwk' })
  const point = Buffer.from(x!, 'base64url')
  if (type === 'ed25519') return point
  const isOdd = (Buffer.from(y!, 'base64url').at(-1)! & 1) === 1
  return Buffer.concat([Uint8Array.of(isOdd ? 3 : 2), point])
}

/** The bytes of `PrivateKey.Data` for a private key. */
export function privateDataOf(type: KeyType, key: KeyObject): Uint8Array {
  switch (type) {
    case 'rsa':
      return key.export({ type: 'pkcs1', format: 'der' })
    case 'ecdsa':
      return key.export({ type: 'sec1', format: 'der' })
    case 'secp256k1':
      return Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url')
    case 'ed25519':
      return Buffer.concat([Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url'), publicDataOf(type, key)])
  }
}

/** The type of a key as libp2p calls it; undefined for what it has none for, such as x25519. */
export function typeOf(key: KeyObject): KeyType | undefined {
  const { asymmetricKeyType, asymmetricKeyDetails } = key
  if (asymmetricKeyType === 'ed25519' || asymmetricKeyType === 'rsa') return asymmetricKeyType
  if (asymmetricKeyType !== 'ec') return undefined
  return asymmetricKeyDetails?.namedCurve === 'secp256k1' ? 'secp256k1' : 'ecdsa'
}

/** An uncompressed point of secp256k1 as members of a JSON Web Key. */
function pointOf(point: Buffer) {
  const [x, y] = [point.subarray(1, 33), point.subarray(33)]
  return { kty: 'EC', crv: 'secp256k1', x: x.toString('base64url'), y: y.toString('base64url') }
}
