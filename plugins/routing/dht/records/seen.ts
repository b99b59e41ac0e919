/** Bits: of a million names, two of a hundred others seem to be seen; pages that no bit was set in take no memory. */
const BITS = 2 ** 23
const PROBES = 4

/** Names that were added, in a Bloom filter of 1 MiB: it never denies one that was, and may take others for such. */
export class Seen {
  readonly #bits = new Uint32Array(BITS / 32)

  add(name: string): void {
    for (const at of places(name)) this.#bits[at >>> 5]! |= 1 << (at & 31)
  }

  mayHave(name: string): boolean {
    return places(name).every(at => (this.#bits[at >>> 5]! & (1 << (at & 31))) !== 0)
  }
}

/** The bits of a name, by two hashes (FNV-1a from two beginnings; Kirsch and Mitzenmacher, Less Hashing, Same Performance). */
function places(name: string): number[] {
  let one = 0x811c9dc5
  let other = 0x2f0b4a27
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x01000193)
  }
  // the low bits of FNV are the poorer ones
  one ^= one >>> 15
  other = (other ^ (other >>> 13)) | 1
  return Array.from({ length: PROBES }, (_, i) => (one + Math.imul(i, other)) & (BITS - 1))
}
