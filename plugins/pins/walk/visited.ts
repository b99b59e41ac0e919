import type { CID } from 'multiformats/cid'
import { Marks } from '../collection/marks.ts'
import type { CidSet } from './walk.ts'

/** The bytes of a CID say its codec themselves. */
const ANY_CODEC = 0

/** The CIDs that a walk has visited, by their bytes, at a third of the memory of a set of strings: see {@link Marks}. */
export class VisitedCids implements CidSet {
  readonly #marks = new Marks()

  has(cid: CID): boolean {
    return this.#marks.has(cid.bytes)
  }

  add(cid: CID): void {
    this.#marks.add(cid.bytes, ANY_CODEC)
  }
}
