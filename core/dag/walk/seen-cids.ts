import { createHash } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { byteString } from '../../go/utf8.ts'

/** A JavaScript set takes no more than 2^24 entries. */
const SET_SIZE = 1 << 23

/** A set of CIDs by their bytes, of any size. */
export class SeenCids {
  readonly #full: Array<Set<string>> = []
  #keys = new Set<string>()

  get size(): number {
    return this.#full.length * SET_SIZE + this.#keys.size
  }

  has(cid: CID): boolean {
    return this.#has(cidKey(cid))
  }

  /** @returns whether it was not in the set before */
  add(cid: CID): boolean {
    return this.#add(cidKey(cid))
  }

  #add(added: string): boolean {
    if (this.#has(added)) return false
    if (this.#keys.size === SET_SIZE) {
      this.#full.push(this.#keys)
      this.#keys = new Set()
    }
    this.#keys.add(added)
    return true
  }

  #has(wanted: string): boolean {
    return this.#keys.has(wanted) || this.#full.some(keys => keys.has(wanted))
  }
}

/** Longest CID that is its own key, in bytes: no other than one that holds its block is longer, and blocks are not to be kept. */
const LONGEST_KEY = 160

/** A CID as a string that takes little to make: a character for each of its bytes, or of their hash where there are many. */
export function cidKey(cid: CID): string {
  const { bytes } = cid
  if (bytes.length > LONGEST_KEY) return createHash('sha256').update(bytes).digest('binary')
  return byteString(bytes)
}
