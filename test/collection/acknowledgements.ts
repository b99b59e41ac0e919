import type { CID } from 'multiformats/cid'
import type { FastBlocks } from '../../core/index.ts'
import type { Random } from './random.ts'
import { linksOf, sha256 } from './universe.ts'

/** A pin. */
export interface Root {
  readonly cid: CID
  readonly mode: 'recursive' | 'direct'
}

/** What a node has acknowledged as pinned, held against what its store has. */
export class Acknowledgements {
  /** What was found wrong. */
  readonly violations: string[] = []
  /** How often each operation was acknowledged. */
  readonly counts = new Map<string, number>()
  /** The pins by the text of their CIDs. */
  readonly pinned = new Map<string, Root>()
  readonly #store: FastBlocks
  readonly #random: Random
  /** CIDs whose pins a worker is about to change. */
  readonly #claimed = new Set<string>()

  constructor(store: FastBlocks, random: Random) {
    this.#store = store
    this.#random = random
  }

  /** Takes note of a pin that an operation has made, and looks whether all of it is there. */
  async acknowledged(operation: string, root: Root): Promise<void> {
    this.pinned.set(root.cid.toString(), root)
    this.count(operation)
    await this.check(`after ${operation}`, root)
  }

  /** Reads all that a root reaches. @returns its multihashes */
  async check(when: string, { cid: root, mode }: Root): Promise<Set<string>> {
    const seen = new Set<string>()
    const left = [root]
    for (let cid = left.pop(); cid !== undefined; cid = left.pop()) {
      if (seen.has(hex(cid.multihash.bytes))) continue
      seen.add(hex(cid.multihash.bytes))
      const bytes = await this.#store.getBytes(cid.multihash.bytes)
      if (bytes === undefined) this.violated(`${when}: ${cid}, which ${root} keeps, is not there`)
      else if (!Buffer.from(sha256(bytes)).equals(cid.multihash.digest)) this.violated(`${when}: ${cid} has other bytes`)
      else if (mode === 'recursive') left.push(...linksOf(cid, bytes))
    }
    return seen
  }

  /** Nobody else changes pins of this CID meanwhile. */
  async claiming(cid: CID, work: (cid: CID) => Promise<void>): Promise<void> {
    const name = cid.toString()
    if (this.#claimed.has(name)) return
    this.#claimed.add(name)
    try {
      await work(cid)
    } finally {
      this.#claimed.delete(name)
    }
  }

  /** Claims a pin that nobody has claimed, where there is one. */
  async claimingPinned(work: (root: Root) => Promise<void>): Promise<void> {
    const free = [...this.pinned.values()].filter(({ cid }) => !this.#claimed.has(cid.toString()))
    if (free.length === 0) return
    const root = this.#random.pick(free)
    await this.claiming(root.cid, () => work(root))
  }

  /** Takes note of an operation that was acknowledged. */
  count(operation: string): void {
    this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1)
  }

  /** Takes note of something wrong. */
  violated(what: string): void {
    this.violations.push(what)
  }
}

/** Bytes in hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
