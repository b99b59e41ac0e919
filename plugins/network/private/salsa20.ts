/** "expand 32-byte k" (D. J. Bernstein, Extending the Salsa20 nonce). */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const

const BLOCK = 64

const words = (bytes: Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.byteLength / 4 }, (_, i) => view.getUint32(i * 4, true))
}

const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by))

/** Twenty rounds over 16 words, in place. */
function rounds(x: Uint32Array): void {
  const quarter = (a: number, b: number, c: number, d: number) => {
    x[b]! ^= rotate((x[a]! + x[d]!) | 0, 7)
    x[c]! ^= rotate((x[b]! + x[a]!) | 0, 9)
    x[d]! ^= rotate((x[c]! + x[b]!) | 0, 13)
    x[a]! ^= rotate((x[d]! + x[c]!) | 0, 18)
  }
  for (let i = 0; i < 10; i++) {
    quarter(0, 4, 8, 12)
    quarter(5, 9, 13, 1)
    quarter(10, 14, 2, 6)
    quarter(15, 3, 7, 11)
    quarter(0, 1, 2, 3)
    quarter(5, 6, 7, 4)
    quarter(10, 11, 8, 9)
    quarter(15, 12, 13, 14)
  }
}

/** The 16 words of a state: a key of 8 and four words between its halves. */
function state(key: readonly number[], input: readonly number[]): Uint32Array {
  const [s0, s1, s2, s3] = SIGMA
  return Uint32Array.from([s0, ...key.slice(0, 4), s1, ...input, s2, ...key.slice(4), s3])
}

/** The octets of Salsa20 for a key of 32 octets and a nonce of 8, laid over octets by exclusive or, one call behind the other. */
export class Salsa20 {
  readonly #state: Uint32Array
  readonly #mixed = new Uint32Array(16)
  readonly #block = new Uint8Array(BLOCK)
  readonly #view = new DataView(this.#block.buffer)
  #used = BLOCK

  constructor(key: readonly number[], nonce: readonly number[]) {
    this.#state = state(key, [nonce[0]!, nonce[1]!, 0, 0])
  }

  /** @param key - 32 octets @param nonce - 8 octets */
  static of(key: Uint8Array, nonce: Uint8Array): Salsa20 {
    return new Salsa20(words(key), words(nonce))
  }

  /** The octets with the next ones of the stream laid over them; new memory. */
  apply(bytes: Uint8Array): Uint8Array {
    const out = new Uint8Array(bytes.length)
    for (let at = 0; at < bytes.length; ) {
      if (this.#used === BLOCK) this.#next()
      const length = Math.min(BLOCK - this.#used, bytes.length - at)
      for (let i = 0; i < length; i++) out[at + i] = bytes[at + i]! ^ this.#block[this.#used + i]!
      at += length
      this.#used += length
    }
    return out
  }

  #next(): void {
    const mixed = this.#mixed
    mixed.set(this.#state)
    rounds(mixed)
    for (let i = 0; i < 16; i++) this.#view.setUint32(i * 4, (mixed[i]! + this.#state[i]!) >>> 0, true)
    // the number of the block, in two words
    this.#state[8]!++
    if (this.#state[8] === 0) this.#state[9]!++
    this.#used = 0
  }
}

/** XSalsa20: the same with a nonce of 24 octets, of which 16 make another key. */
export function xsalsa20(key: Uint8Array, nonce: Uint8Array): Salsa20 {
  const mixed = state(words(key), words(nonce.subarray(0, 16)))
  rounds(mixed)
  const inner = [0, 5, 10, 15, 6, 7, 8, 9].map(i => mixed[i]!)
  return new Salsa20(inner, words(nonce.subarray(16)))
}
