import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

const NONCE = 12
const TAG = 16
/** What sealing adds to the bytes of a block. */
export const OVERHEAD = NONCE + TAG

/**
 * Blocks under AES-256-GCM, names under a cipher that gives the same name for the same multihash (a synthetic initialisation vector, as in
 * RFC 5297), all with keys that are derived from one secret. Each block has a key of its own, so that no count of blocks wears out the nonces.
 */
export class Cipher {
  /** Tells keys apart and says nothing about them: 16 hexadecimal digits. */
  readonly fingerprint: string
  readonly #blocks: Uint8Array
  readonly #vectors: Uint8Array
  readonly #names: Uint8Array

  /** @param secret - 32 bytes */
  constructor(secret: Uint8Array) {
    const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', secret, '', `holdfast encrypted-blocks ${purpose}`, 32))
    this.fingerprint = Buffer.from(derive('fingerprint')).toString('hex', 0, 8)
    this.#blocks = derive('blocks')
    this.#vectors = derive('vectors')
    this.#names = derive('names')
  }

  sealName(multihash: Uint8Array): Uint8Array {
    const vector = this.#vectorOf(multihash)
    return Buffer.concat([vector, createCipheriv('aes-256-ctr', this.#names, vector).update(multihash)])
  }

  /** @returns undefined for what this key did not seal */
  openName(sealed: Uint8Array): Uint8Array | undefined {
    if (sealed.length < TAG) return undefined
    const vector = sealed.subarray(0, TAG)
    const multihash = createDecipheriv('aes-256-ctr', this.#names, vector).update(sealed.subarray(TAG))
    return timingSafeEqual(this.#vectorOf(multihash), vector) ? multihash : undefined
  }

  seal(multihash: Uint8Array, bytes: Uint8Array): Uint8Array {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', this.#keyOf(multihash), nonce)
    const body = Buffer.concat([cipher.update(bytes), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body])
  }

  /** @returns undefined for what was not sealed with this key and multihash, or was changed since */
  open(multihash: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
    if (sealed.length < OVERHEAD) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#keyOf(multihash), sealed.subarray(0, NONCE))
    decipher.setAuthTag(sealed.subarray(NONCE, OVERHEAD))
    try {
      return Buffer.concat([decipher.update(sealed.subarray(OVERHEAD)), decipher.final()])
    } catch {
      return undefined
    }
  }

  #keyOf(multihash: Uint8Array): Uint8Array {
    return createHmac('sha256', this.#blocks).update(multihash).digest()
  }

  #vectorOf(multihash: Uint8Array): Uint8Array {
    return createHmac('sha256', this.#vectors).update(multihash).digest().subarray(0, TAG)
  }
}
