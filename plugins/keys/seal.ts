import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

const CIPHER = 'aes-256-gcm'
const KEY = 32
const SALT = 16
const NONCE = 12
const TAG = 16

/** Cost of a guess: about half a second and 128 MiB (OWASP, Password Storage Cheat Sheet: N = 2^17, r = 8, p = 1). */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 }

/** Stands before salt, nonce, octets and tag. Private keys in libp2p's form begin with 0x08, so none is taken for an encrypted one. */
const MAGIC = Buffer.from('holdfast key 1\n')

/** Whether these are octets that {@link Seal} encrypted. */
export function isSealed(bytes: Uint8Array): boolean {
  return MAGIC.equals(bytes.subarray(0, MAGIC.length))
}

/**
 * Encryption under a passphrase: scrypt makes the key, AES-256-GCM encrypts and authenticates. Both are of Node.js's OpenSSL, which works
 * scrypt out beside the event loop. All octets that one process encrypts share a salt, so that many keys cost one derivation.
 */
export class Seal {
  readonly #passphrase: string
  readonly #keys = new Map<string, Promise<Buffer>>()
  #salt: Buffer | undefined

  constructor(passphrase: string) {
    this.#passphrase = passphrase.normalize('NFC')
  }

  async seal(bytes: Uint8Array): Promise<Uint8Array> {
    this.#salt ??= randomBytes(SALT)
    const header = Buffer.concat([MAGIC, this.#salt])
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv(CIPHER, await this.#key(this.#salt), nonce, { authTagLength: TAG })
    cipher.setAAD(header)
    return Buffer.concat([header, nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }

  /** The octets that were encrypted; undefined where they were under another passphrase, or were changed since. */
  async open(sealed: Uint8Array): Promise<Uint8Array | undefined> {
    const [header, nonce, body, tag] = partsOf(sealed)
    if (tag.length < TAG) return undefined
    const salt = header.subarray(MAGIC.length)
    const decipher = createDecipheriv(CIPHER, await this.#key(salt), nonce, { authTagLength: TAG })
    decipher.setAAD(header)
    decipher.setAuthTag(tag)
    try {
      const bytes = Buffer.concat([decipher.update(body), decipher.final()])
      this.#salt ??= Buffer.from(salt)
      return bytes
    } catch {
      return undefined
    }
  }

  #key(salt: Buffer): Promise<Buffer> {
    const name = salt.toString('hex')
    const known = this.#keys.get(name)
    if (known !== undefined) return known
    const made = derive(this.#passphrase, salt, KEY, COST)
    this.#keys.set(name, made)
    return made
  }
}

function partsOf(sealed: Uint8Array): [header: Buffer, nonce: Buffer, body: Buffer, tag: Buffer] {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length)
  const [body, end] = [MAGIC.length + SALT + NONCE, Math.max(MAGIC.length + SALT + NONCE, bytes.length - TAG)]
  return [bytes.subarray(0, MAGIC.length + SALT), bytes.subarray(MAGIC.length + SALT, body), bytes.subarray(body, end), bytes.subarray(end)]
}
