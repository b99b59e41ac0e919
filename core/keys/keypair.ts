import { createECDH, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { keyErrors } from '../errors/keys.ts'
import { messageOf } from '../errors.ts'
import type { Identity } from '../services/repo.ts'
import { decodeKey, encodeKey, type KeyType } from './encoding.ts'
import { peerIdBytes, peerIdString } from './peer-id.ts'

const generate = promisify(generateKeyPair)

/** Bits of an RSA key (Kubo 0.28, core/commands/keystore.go). */
export const RSA_BITS = { least: 2048, most: 8192, usual: 2048 } as const

const ED25519_PUBLIC_KEY = 32

/**
 * Makes a key pair. `bits` is of RSA keys only, default 2048.
 *
 * @throws E_KEY_TYPE, E_KEY_TOO_SMALL, E_KEY_TOO_LARGE
 */
export async function generateIdentity(type: string = 'ed25519', bits: number = RSA_BITS.usual): Promise<Identity> {
  if (type === 'ed25519') return fromKeyObject(type, (await generate('ed25519')).privateKey)
  if (type !== 'rsa') throw keyErrors.E_KEY_TYPE(type)
  if (bits < RSA_BITS.least) throw keyErrors.E_KEY_TOO_SMALL()
  if (bits > RSA_BITS.most) throw keyErrors.E_KEY_TOO_LARGE()
  return fromKeyObject(type, (await generate('rsa', { modulusLength: bits })).privateKey)
}

/**
 * The key pair of a private key in libp2p's protobuf form, public key and peer ID worked out.
 *
 * @throws E_KEY_INVALID
 */
export function identityOf(privateKey: Uint8Array): Identity {
  const { type, data } = decodeKey(privateKey)
  try {
    return identity(type, publicData(type, data), privateKey)
  } catch (error) {
    throw keyErrors.E_KEY_INVALID(messageOf(error))
  }
}

function fromKeyObject(type: 'ed25519' | 'rsa', key: KeyObject): Identity {
  if (type === 'rsa') {
    const data = key.export({ type: 'pkcs1', format: 'der' })
    return identity(type, publicDer(key), encodeKey(type, data))
  }
  const { d, x } = key.export({ format: 'jwk' })
  const point = Buffer.from(x!, 'base64url')
  return identity(type, point, encodeKey(type, Buffer.concat([Buffer.from(d!, 'base64url'), point])))
}

function identity(type: KeyType, data: Uint8Array, privateKey: Uint8Array): Identity {
  const publicKey = encodeKey(type, data)
  return { type, publicKey, privateKey, peerId: peerIdString(peerIdBytes(publicKey)) }
}

/** What stands in `PublicKey.Data` for the `PrivateKey.Data` of each type. */
function publicData(type: KeyType, data: Uint8Array): Uint8Array {
  switch (type) {
    case 'ed25519':
      return ed25519Point(data)
    case 'rsa':
      return publicDer(createPrivateKey({ key: Buffer.from(data), format: 'der', type: 'pkcs1' }))
    case 'ecdsa':
      return publicDer(createPrivateKey({ key: Buffer.from(data), format: 'der', type: 'sec1' }))
    case 'secp256k1': {
      const curve = createECDH('secp256k1')
      curve.setPrivateKey(data)
      return curve.getPublicKey(null, 'compressed')
    }
  }
}

const publicDer = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' })

/** Seed and point; an older form has the point twice. The point is believed only if it is the seed's. */
function ed25519Point(data: Uint8Array): Uint8Array {
  if (data.length !== 64 && data.length !== 96) throw keyErrors.E_KEY_INVALID(`an ed25519 key has 64 bytes, this one ${data.length}`)
  const point = data.subarray(32, 32 + ED25519_PUBLIC_KEY)
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, data.subarray(0, 32)]), format: 'der', type: 'pkcs8' })
  const made = Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url')
  if (!made.equals(point)) throw keyErrors.E_KEY_INVALID('its public half does not belong to its private half')
  return point
}

/** What stands before the seed in the PKCS #8 form of an ed25519 key (RFC 8410). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
