import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const NONCE = 12
const TAG = 16
/** What sealing adds to the bytes. */
export const OVERHEAD = NONCE + TAG

/**
 * AES-256-GCM under keys that are derived from one secret. Each name has a key of its own, so that no count of blocks wears out the nonces
 * of one; names are keyed too, so that a folder does not tell which blocks it holds.
 */
export class Cipher {
  readonly #names: Uint8Array
  readonly #blocks: Uint8Array

  /** @param secret - 32 bytes */
  constructor(secret: Uint8Array) {
    const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', secret, '', `holdfast encrypted-blocks ${purpose}`, 32))
    this.#names = derive('names')
    this.#blocks = derive('blocks')
  }

  /** The name under which a block lies: 64 hexadecimal digits. */
  nameOf(multihash: Uint8Array): string {
    return createHmac('sha256', this.#names).update(multihash).digest('hex')
  }

  /** @param about - is not kept, but must be the same to open it */
  seal(name: string, bytes: Uint8Array, about: Uint8Array | string): Uint8Array {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', this.#keyOf(name), nonce)
    cipher.setAAD(Buffer.from(about))
    const body = Buffer.concat([cipher.update(bytes), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body])
  }

  /** @returns undefined for what this key, this name and `about` did not seal, or what was changed since */
  open(name: string, sealed: Uint8Array, about: Uint8Array | string): Uint8Array | undefined {
    if (sealed.length < OVERHEAD) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#keyOf(name), sealed.subarray(0, NONCE))
    decipher.setAAD(Buffer.from(about))
    decipher.setAuthTag(sealed.subarray(NONCE, OVERHEAD))
    try {
      return Buffer.concat([decipher.update(sealed.subarray(OVERHEAD)), decipher.final()])
    } catch {
      return undefined
    }
  }

  #keyOf(name: string): Uint8Array {
    return createHmac('sha256', this.#blocks).update(name).digest()
  }
}
