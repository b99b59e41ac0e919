import type { CID } from 'multiformats/cid'
import { RAW } from '../../core/cid/codes.ts'
import type { BlockOptions, Blocks } from '../../core/index.ts'

/** Files that are remembered until their folder is done. */
const MOST = 1024

/**
 * Files that were added without a copy. The reference reads those of one block back when what they are in is done, so that a reference to
 * what is not there, or is something else, is told at once.
 */
export class Referred {
  readonly #blocks: Pick<Blocks, 'get'>
  readonly #options: BlockOptions
  #files: CID[] = []

  constructor(blocks: Pick<Blocks, 'get'>, options: BlockOptions) {
    this.#blocks = blocks
    this.#options = { ...options, offline: true }
  }

  add(file: CID): void {
    if (file.code === RAW && this.#files.length < MOST) this.#files.push(file)
  }

  /** @throws what reading them back does */
  async check(): Promise<void> {
    const files = this.#files
    this.#files = []
    for (const file of files) await this.#blocks.get(file, this.#options)
  }
}
