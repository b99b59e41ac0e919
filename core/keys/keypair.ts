import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { hasCode, messageOf } from '../errors.ts'
import type { Identity } from '../services/storage/repo.ts'
import { checkConsistent } from './consistent.ts'
import { decodeKey, encodeKey, type KeyType } from './encoding.ts'
import { keyErrors } from './errors.ts'
import { privateDataOf, privateKeyObject, publicDataOf } from './key-object.ts'
import { peerIdBytes, peerIdString } from './peer-id.ts'

const generate = promisify(generateKeyPair)

/** Bits of an RSA key (Kubo 0.28, core/commands/keystore.go). */
export const RSA_BITS = { least: 2048, most: 8192, usual: 2048 } as const

/**
 * Makes a key pair. `bits` is of RSA keys only, default 2048.
 *
 * @throws E_KEY_TYPE, E_KEY_TOO_SMALL, E_KEY_TOO_LARGE
 */
export async function generateIdentity(type: string = 'ed25519', bits: number = RSA_BITS.usual): Promise<Identity> {
  if (type === 'ed25519') return identityOfObject(type, (await generate('ed25519')).privateKey)
  if (type !== 'rsa') throw keyErrors.E_KEY_TYPE(type)
  checkBits(bits)
  return identityOfObject(type, (await generate('rsa', { modulusLength: bits })).privateKey)
}

/**
 * The key pair of a private key in libp2p's protobuf form, public key and peer ID worked out.
 *
 * @param anySize - whether an RSA key may have less or more bits than are useful
 * @throws E_KEY_INVALID
 */
export function identityOf(privateKey: Uint8Array, { anySize = false }: { anySize?: boolean } = {}): Identity {
  const { type, data } = decodeKey(privateKey, 'PrivateKey')
  try {
    checkLength(type, data)
    const key = privateKeyObject(type, data)
    if (type === 'rsa' && !anySize) checkBits(key.asymmetricKeyDetails?.modulusLength ?? 0)
    checkConsistent(key)
    const publicData = publicDataOf(type, key)
    // the point is believed only if it is the seed's: a signature made with another one gives the seed away
    if (type === 'ed25519' && !Buffer.from(publicData).equals(data.subarray(32, 64)))
      throw keyErrors.E_KEY_INVALID('its public half does not belong to its private half')
    return identity(type, publicData, privateKey)
  } catch (error) {
    throw keyErrors.E_KEY_INVALID(messageOf(error))
  }
}

/** Whether bytes are a private key in libp2p's protobuf form, of whatever size. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  try {
    identityOf(bytes, { anySize: true })
    return true
  } catch (error) {
    if (hasCode(error, 'E_KEY_INVALID')) return false
    throw error
  }
}

/** The key pair of a private key of Node.js. */
export function identityOfObject(type: KeyType, key: KeyObject): Identity {
  return identity(type, publicDataOf(type, key), encodeKey(type, privateDataOf(type, key)))
}

function identity(type: KeyType, data: Uint8Array, privateKey: Uint8Array): Identity {
  const publicKey = encodeKey(type, data)
  return { type, publicKey, privateKey, peerId: peerIdString(peerIdBytes(publicKey)) }
}

/** @throws E_KEY_TOO_SMALL, E_KEY_TOO_LARGE */
export function checkBits(bits: number): void {
  if (bits < RSA_BITS.least) throw keyErrors.E_KEY_TOO_SMALL()
  if (bits > RSA_BITS.most) throw keyErrors.E_KEY_TOO_LARGE()
}

/** An ed25519 key is a seed and a point; an older form has the point twice. */
function checkLength(type: KeyType, { length }: Uint8Array) {
  if (type === 'ed25519' && length !== 64 && length !== 96)
    throw keyErrors.E_KEY_INVALID(`expected ed25519 data size to be 64 or 96, got ${length}`)
  if (type === 'secp256k1' && length !== 32) throw keyErrors.E_KEY_INVALID(`expected secp256k1 data size to be 32, got ${length}`)
}
