import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hash,
  hkdfSync,
  type KeyObject
} from 'node:crypto'
import { Uint8ArrayList } from 'uint8arraylist'
import { takenMemory } from '../../../core/memory.ts'

/** The cipher of Noise's messages (RFC 8439), by its name in OpenSSL, and the octets by which a message proves itself. */
export const [ALGORITHM, TAG] = ['chacha20-poly1305', 16] as const

/** Longest message that the library's WebAssembly encrypts in less time than OpenSSL takes to begin. */
const SHORT = 256

type Octets = Uint8Array | Uint8ArrayList

/** The ciphers of the library, once two peers have agreed on keys and before. */
export interface Cipher {
  encrypt(plain: Octets, nonce: Uint8Array, about: Uint8Array, key: Uint8Array): Octets
  decrypt(sealed: Octets, nonce: Uint8Array, about: Uint8Array, key: Uint8Array, into?: Uint8Array): Octets
}

const parts = (octets: Octets): Iterable<Uint8Array> => (octets instanceof Uint8Array ? [octets] : octets)

/** Tells of a message and of what is made of it: two pieces of memory that are over once they are passed on. */
function tell(message: Octets): void {
  if (takenMemory.hasSubscribers) takenMemory.publish(2 * message.byteLength)
}

/**
 * The library's cipher, but that a key is handed to OpenSSL once, and not with each message: that takes as long as 20 KiB take to encrypt. Short
 * messages are left to it.
 */
export function withKeptKeys(library: Cipher): Cipher {
  const kept = new WeakMap<Uint8Array, KeyObject>()
  const keyOf = (bytes: Uint8Array): KeyObject => {
    const known = kept.get(bytes)
    if (known !== undefined) return known
    const made = createSecretKey(bytes)
    kept.set(bytes, made)
    return made
  }
  return {
    encrypt(plain, nonce, about, key) {
      if (plain.byteLength < SHORT) return library.encrypt(plain, nonce, about, key)
      tell(plain)
      const cipher = createCipheriv(ALGORITHM, keyOf(key), nonce, { authTagLength: TAG })
      if (about.length > 0) cipher.setAAD(about, { plaintextLength: plain.byteLength })
      const sealed = new Uint8ArrayList()
      for (const part of parts(plain)) sealed.append(cipher.update(part))
      cipher.final()
      sealed.append(cipher.getAuthTag())
      return sealed
    },
    decrypt(sealed, nonce, about, key, into) {
      if (sealed.byteLength < SHORT) return library.decrypt(sealed, nonce, about, key, into)
      tell(sealed)
      const length = sealed.byteLength - TAG
      const decipher = createDecipheriv(ALGORITHM, keyOf(key), nonce, { authTagLength: TAG })
      if (about.length > 0) decipher.setAAD(about, { plaintextLength: length })
      decipher.setAuthTag(sealed.subarray(length))
      const plain = new Uint8ArrayList()
      for (const part of parts(sealed instanceof Uint8Array ? sealed.subarray(0, length) : sealed.sublist(0, length)))
        plain.append(decipher.update(part))
      decipher.final()
      return plain
    }
  }
}

/** A pair of keys of a handshake, as the library has it; the private one is OpenSSL's own. */
export interface KeyPair {
  readonly publicKey: Uint8Array
  readonly privateKey: KeyObject
}

/** What stands before the 32 octets of a public key of X25519 in its DER (RFC 8410). */
const X25519 = Buffer.from('302a300506032b656e032100', 'hex')

/** What the library agrees on keys by. */
export const agreement = {
  generateKeypair(): KeyPair {
    const { publicKey, privateKey } = generateKeyPairSync('x25519')
    return { publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(X25519.length), privateKey }
  },
  /** @throws for a key with which nothing secret is agreed on */
  dh({ privateKey }: KeyPair, publicKey: Octets): Uint8Array {
    const key = Buffer.concat([X25519, publicKey.subarray()])
    return diffieHellman({ privateKey, publicKey: createPublicKey({ key, format: 'der', type: 'spki' }) })
  },
  hash: (data: Octets): Uint8Array => hash('sha256', data.subarray(), 'buffer'),
  /** Noise's own function is HKDF without a name for what its keys are for (RFC 5869). */
  hkdf(salt: Uint8Array, secret: Uint8Array): [Uint8Array, Uint8Array, Uint8Array] {
    const made = new Uint8Array(hkdfSync('sha256', secret, salt, '', 96))
    return [made.subarray(0, 32), made.subarray(32, 64), made.subarray(64)]
  }
}
