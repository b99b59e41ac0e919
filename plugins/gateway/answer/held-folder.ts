import type { CID } from 'multiformats/cid'
import { turnBefore } from '../../../core/concurrency/index.ts'
import type { NodeLinks } from '../../../core/dag/node-links.ts'
import type { BlockOptions } from '../../../core/index.ts'
import { type DirectoryLink, type DirectoryNode, decodeBlock, type Sources } from '../../../core/unixfs/index.ts'

/** Time after which a reader that has taken nothing counts as one that has stopped, in milliseconds. */
const STOPPED_MS = 100

/** How many times as much is taken of a block that was read again. */
const MORE = 4

/** Characters of names that are looked at in one go, each entry counting for some more: most of those that are searched have no text. */
const MOST_NAMES = 1 << 17
const ENTRY = 32

/**
 * A folder of one block, of which nothing is held for a reader that has stopped: the block is read again when that goes on. No entry leaves it, as
 * the CID of one is a part of the block.
 */
export class HeldFolder {
  readonly #cid: CID
  readonly #sources: Sources
  readonly #options: BlockOptions
  #links: NodeLinks | undefined
  #at = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ root }: DirectoryNode, sources: Sources, options: BlockOptions) {
    this.#cid = root.cid
    this.#links = root.node
    this.#sources = sources
    this.#options = options
  }

  /**
   * Texts of the next entries, until they have `most` characters together, or four times as many of a block that was read again.
   *
   * @returns `''` where none of many has a text; undefined behind the last
   */
  async next(textOf: (entry: DirectoryLink) => string | Promise<string>, most: number): Promise<string | undefined> {
    clearTimeout(this.#timer)
    // what was read again is to be worth it: many readers who all go on, but slowly, would have the node read blocks alone
    const wanted = this.#links === undefined ? most * MORE : most
    this.#links ??= await this.#read()
    const links = this.#links
    if (this.#at >= links.length) return undefined
    let text = ''
    let seen = 0
    for (; this.#at < links.length && text.length < wanted && seen < MOST_NAMES; this.#at++) {
      const at = this.#at
      const name = links.name(at)
      seen += ENTRY + name.length
      const one = textOf({ name, cid: links.cid(at), size: links.size(at) })
      text += typeof one === 'string' ? one : await one
    }
    this.#timer = setTimeout(() => {
      this.#links = undefined
    }, STOPPED_MS)
    return text
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#links = undefined
  }

  async #read(): Promise<NodeLinks> {
    const { blocks, codecs } = this.#sources
    const bytes = await blocks.get(this.#cid, this.#options)
    await turnBefore(this.#cid.code, bytes, this.#options.signal)
    return decodeBlock(this.#cid, bytes, codecs).node
  }
}
