import type { CID } from 'multiformats/cid'
import type { Link } from '../../services/content/dag.ts'
import { cidKey } from './seen-cids.ts'

/** CIDs that are remembered at most: some 20 MiB. */
const MOST = 200_000

/** Tells of blocks that come in any order whether they are whole graphs: all that they link to came as well. */
export class Closure {
  readonly #here = new Set<string>()
  readonly #missing = new Set<string>()
  #isGivenUp = false

  add(cid: CID, links: readonly Link[]): void {
    if (this.#isGivenUp) return
    const key = cidKey(cid)
    this.#here.add(key)
    this.#missing.delete(key)
    for (const link of links) {
      const linked = cidKey(link.cid)
      if (!this.#here.has(linked)) this.#missing.add(linked)
    }
    if (this.#here.size + this.#missing.size > MOST) this.#giveUp()
  }

  /** Whether the graph below `root` came as a whole. False also where there was too much to remember. */
  holds(root: CID): boolean {
    return !this.#isGivenUp && this.#missing.size === 0 && this.#here.has(cidKey(root))
  }

  #giveUp(): void {
    this.#isGivenUp = true
    this.#here.clear()
    this.#missing.clear()
  }
}
