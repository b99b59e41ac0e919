/** Numbers that a seed repeats: xorshift32. */
export interface Random {
  /** A whole number from 0 up to, without, `end`. */
  below(end: number): number
  bytes(size: number): Uint8Array<ArrayBuffer>
}

export function seeded(seed: number): Random {
  let x = seed >>> 0 || 1
  const next = () => {
    x ^= x << 13
    x >>>= 0
    x ^= x >>> 17
    x ^= x << 5
    x >>>= 0
    return x
  }
  return {
    below: end => next() % Math.max(1, end),
    bytes(size) {
      const words = new Uint32Array(Math.ceil(size / 4))
      for (let i = 0; i < words.length; i++) words[i] = next()
      return new Uint8Array(words.buffer, 0, size)
    }
  }
}

/** So many of these, each once, as the seed has it. */
export function some<T>(all: readonly T[], count: number, seed: number): T[] {
  const random = seeded(Math.imul(seed + 1, 0x9e3779b1))
  const left = [...all]
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)[0]!)
}
