import type { CID } from 'multiformats/cid'
import type { BlockOptions, Blocks } from '../services/storage/blocks.ts'

interface Read {
  readonly cid: CID
  readonly options: BlockOptions | undefined
  resolve(bytes: Uint8Array | Promise<Uint8Array>): void
}

/** Reads in one look-up what is asked for in one turn: for small blocks most of the time goes into the call to the store. */
export class Reads {
  readonly #blocks: Blocks
  #waiting: Read[] = []

  constructor(blocks: Blocks) {
    this.#blocks = blocks
  }

  get(cid: CID, options?: BlockOptions): Promise<Uint8Array> {
    if (this.#blocks.readAll === undefined) return this.#blocks.get(cid, options)
    return new Promise(resolve => {
      if (this.#waiting.length === 0) queueMicrotask(() => this.#readAll())
      this.#waiting.push({ cid, options, resolve })
    })
  }

  async #readAll(): Promise<void> {
    const reads = this.#waiting
    this.#waiting = []
    const cids = reads.map(({ cid }) => cid)
    const how = { checked: reads.some(({ options }) => options?.checked === true) }
    // What several reads could not do, or find, is for one to say.
    const found = reads.length === 1 ? [] : ((await this.#blocks.readAll?.(cids, how).catch(() => [])) ?? [])
    reads.forEach(({ cid, options, resolve }, i) => {
      const alone = () => this.#blocks.get(cid, options)
      const bytes = found[i]
      if (bytes instanceof Promise) resolve(bytes.then(read => read ?? alone(), alone))
      else resolve(bytes ?? alone())
    })
  }
}
