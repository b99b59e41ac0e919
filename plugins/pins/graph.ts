import type { CID } from 'multiformats/cid'
import { Reads } from '../../core/blocks/reads.ts'
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
