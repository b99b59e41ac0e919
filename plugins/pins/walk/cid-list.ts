import type { CID } from 'multiformats/cid'
import { readCid } from '../../../core/cid/parse.ts'

/** CIDs in the memory that their bytes take: as objects, links of eight bytes would take sixty times theirs. */
export class CidList implements Iterable<CID> {
  #bytes: Buffer = Buffer.allocUnsafeSlow(256)
  /** Where each CID ends. */
  #ends = new Uint32Array(8)
  length = 0

  push({ bytes }: CID): void {
    const start = this.#start(this.length)
    const end = start + bytes.length
    if (end > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, end))
      grown.set(this.#bytes.subarray(0, start))
      this.#bytes = grown
    }
    if (this.length === this.#ends.length) {
      const grown = new Uint32Array(2 * this.length)
      grown.set(this.#ends)
      this.#ends = grown
    }
    this.#bytes.set(bytes, start)
    this.#ends[this.length++] = end
  }

  /** A copy. @returns undefined beyond the last */
  at(index: number): CID | undefined {
    if (index >= this.length) return undefined
    return readCid(new Uint8Array(this.#bytes.subarray(this.#start(index), this.#ends[index])))
  }

  /** The last ones, at most so many, which are no longer in the list. In their order. */
  takeLast(count: number): CID[] {
    const first = Math.max(0, this.length - count)
    const taken = Array.from({ length: this.length - first }, (_, i) => this.at(first + i)!)
    this.length = first
    return taken
  }

  *[Symbol.iterator](): Generator<CID> {
    for (let i = 0; i < this.length; i++) yield this.at(i)!
  }

  #start(index: number): number {
    return index === 0 ? 0 : this.#ends[index - 1]!
  }
}
