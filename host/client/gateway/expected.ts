/** The links of a block on the way, as keys. */
interface BlockLinks {
  readonly links: ReadonlySet<string>
}

/** Most links that are kept of the blocks on the way. */
const MOST = 1 << 20

/**
 * Which blocks a walk depth first may meet next. A block that nothing on the way links to does not belong to the graph. Blocks may be left
 * out, as where each is sent once, and those of one parent may come in any order.
 */
export class Expected {
  readonly #blocks: BlockLinks[]
  readonly #met = new Set<string>()
  /** Links of blocks that the walk has left, which it had not met by then. */
  readonly #passed = new Set<string>()
  #links = 1

  constructor(root: string) {
    this.#blocks = [{ links: new Set([root]) }]
  }

  /** Whether the block may still come. */
  has(key: string): boolean {
    return !this.#met.has(key) && this.#blocks.some(({ links }) => links.has(key))
  }

  /** Whether the block was met. */
  hasMet(key: string): boolean {
    return this.#met.has(key)
  }

  /** The links of all blocks that were met which themselves were not. */
  *unmet(): Generator<string> {
    for (const links of [this.#passed, ...this.#blocks.map(block => block.links)]) {
      for (const key of links) if (!this.#met.has(key)) yield key
    }
  }

  /** The walk meets a block. @returns whether it belongs there */
  meet(key: string): boolean {
    for (let at = this.#blocks.length - 1; at >= 0; at--) {
      if (!this.#blocks[at]!.links.has(key)) continue
      for (const { links } of this.#blocks.splice(at + 1)) {
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
    const block = { links: new Set(links) }
    this.#blocks.push(block)
    this.#links += block.links.size
    return this.#links <= MOST && this.#met.size + this.#passed.size <= MOST
  }
}
