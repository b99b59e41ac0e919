import type { CID } from 'multiformats/cid'
import { checkCidSecurity } from '../../core/cid/hashes.ts'
import type { Blocks, Dag } from '../../core/index.ts'
import type { Children } from './walk.ts'

/** Of the multicodec table: bytes that are only bytes, so that no block of it has links. */
export const RAW = 0x55

const NONE: readonly CID[] = []

interface Options {
  offline?: boolean
}

type ReadOptions = Options & { signal?: AbortSignal }

/** Graphs of blocks as pins see them: which nodes a node links to, and whether a block is here. */
export class Graph {
  readonly #blocks: Blocks
  readonly #dag: Dag
  readonly #reads: Reads

  constructor(blocks: Blocks, dag: Dag) {
    this.#blocks = blocks
    this.#dag = dag
    this.#reads = new Reads(blocks)
  }

  /** Makes sure that every node is stored here. A leaf that is here already is not read. */
  fetching({ offline }: Options): Children {
    return async (cid, { signal }) => {
      if (cid.code !== RAW) return this.#links(cid, { signal, offline })
      await this.fetch(cid, { signal, offline })
      return NONE
    }
  }

  /** Looks at links only: leaves are not read, and need not be here. */
  linking({ offline }: Options): Children {
    return (cid, { signal }) => (cid.code === RAW ? NONE : this.#links(cid, { signal, offline }))
  }

  /** Makes sure that the block is stored here. */
  async fetch(cid: CID, options: ReadOptions): Promise<void> {
    checkCidSecurity(cid)
    if (!(await this.#blocks.has(cid, { signal: options.signal }))) await this.#blocks.get(cid, options)
  }

  async #links(cid: CID, options: ReadOptions): Promise<readonly CID[]> {
    return this.#dag.links(cid, await this.#reads.get(cid, options)).map(link => link.cid)
  }
}

interface Read {
  readonly cid: CID
  readonly options: ReadOptions
  resolve(bytes: Uint8Array | Promise<Uint8Array>): void
}

/** Reads in one look-up what is asked for in one turn: for small blocks most of the time goes into the call to the store. */
class Reads {
  readonly #blocks: Blocks
  #waiting: Read[] = []

  constructor(blocks: Blocks) {
    this.#blocks = blocks
  }

  get(cid: CID, options: ReadOptions): Promise<Uint8Array> {
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
    // What several reads could not do, or find, is for one to say.
    const found = reads.length === 1 ? [] : ((await this.#blocks.readAll?.(cids).catch(() => [])) ?? [])
    reads.forEach(({ cid, options, resolve }, i) => {
      const alone = () => this.#blocks.get(cid, options)
      const bytes = found[i]
      if (bytes instanceof Promise) resolve(bytes.then(read => read ?? alone(), alone))
      else resolve(bytes ?? alone())
    })
  }
}
