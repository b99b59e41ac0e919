/** The links of a block on the way, as keys. */
interface Frame {
  readonly links: ReadonlySet<string>
}

/** Most links that are kept of the blocks on the way. */
const MOST = 1 << 20

/**
 * Which blocks a walk depth first may meet next. A block that nothing on the way links to does not belong to the graph. Blocks may be left
 * out, as where each is sent once, and those of one parent may come in any order.
 */
export class Expected {
  readonly #frames: Frame[]
  readonly #met = new Set<string>()
  /** Links of blocks that the walk has left, which it had not met by then. */
  readonly #passed = new Set<string>()
  #links = 1

  constructor(root: string) {
    this.#frames = [{ links: new Set([root]) }]
  }

  /** Whether the block may still come. */
  has(key: string): boolean {
    return !this.#met.has(key) && this.#frames.some(({ links }) => links.has(key))
  }

  /** Whether the block was met. */
  hasMet(key: string): boolean {
    return this.#met.has(key)
  }

  /** The links of all blocks that were met which themselves were not. */
  *unmet(): Generator<string> {
    for (const links of [this.#passed, ...this.#frames.map(frame => frame.links)]) {
      for (const key of links) if (!this.#met.has(key)) yield key
    }
  }

  /** The walk meets a block. @returns whether it belongs there */
  meet(key: string): boolean {
    for (let at = this.#frames.length - 1; at >= 0; at--) {
      if (!this.#frames[at]!.links.has(key)) continue
      for (const { links } of this.#frames.splice(at + 1)) {
        this.#links -= links.size
        for (const link of links) if (!this.#met.has(link)) this.#passed.add(link)
      }
      this.#met.add(key)
      return true
    }
    return false
  }

  /** The walk goes on with the links of the block that was met last. @returns false where there are more than are kept */
  enter(links: readonly string[]): boolean {
    const frame = { links: new Set(links) }
    this.#frames.push(frame)
    this.#links += frame.links.size
    return this.#links <= MOST && this.#met.size + this.#passed.size <= MOST
  }
}
