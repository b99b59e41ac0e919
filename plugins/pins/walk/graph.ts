import type { CID } from 'multiformats/cid'
import { Reads } from '../../../core/blocks/reads.ts'
import { RAW } from '../../../core/cid/codes.ts'
import { checkCidSecurity, isCidSecure } from '../../../core/cid/hashes.ts'
import type { Blocks, Dag, Lease, WriteBarrier } from '../../../core/index.ts'
import { CidList } from './cid-list.ts'
import { eachLinked } from './linked.ts'
import { type Children, type Leaves, type Links } from './walk.ts'

const NONE: Links = []
/** Bytes of a node whose links are kept as objects: most nodes have fewer, and objects are made once. */
const AS_OBJECTS = 64 * 1024

function isLeaf(cid: CID): boolean {
  return cid.code === RAW && isCidSecure(cid)
}

interface Options {
  offline?: boolean
}

type ReadOptions = Options & { signal?: AbortSignal }

/** Options of a walk whose caller is about to pin what is found. */
interface KeepOptions extends Options {
  /** The lease under which the blocks that are found stay. */
  lease?: Lease
}

/** Graphs of blocks as pins see them: which nodes a node links to, and whether a block is here. */
export class Graph {
  readonly #blocks: Blocks
  readonly #dag: Dag
  readonly #barrier: WriteBarrier | undefined
  readonly #reads: Reads

  /** @param barrier - where there are graphs that are about to be kept */
  constructor(blocks: Blocks, dag: Dag, barrier?: WriteBarrier) {
    this.#blocks = blocks
    this.#dag = dag
    this.#barrier = barrier
    this.#reads = new Reads(blocks)
  }

  /** Makes sure that every node is stored here, and stays as long as the lease is held. A leaf that is here already is not read. */
  fetching({ offline, lease }: KeepOptions): Children {
    return async (cid, { signal }) => {
      if (cid.code !== RAW) {
        const removing = this.#keep(cid, lease)
        if (removing !== undefined) await removing
        return this.#links(cid, { signal, offline, lease })
      }
      await this.fetch(cid, { signal, offline, lease })
      return NONE
    }
  }

  /** Which of these are leaves that are stored here, and stay as long as the lease is held: the others are for {@link fetching}. */
  stored({ lease }: KeepOptions): Leaves {
    return (cids, { signal }) => {
      if (this.#blocks.hasAll === undefined || !cids.some(isLeaf)) return undefined
      return this.#stored(cids, { signal, lease })
    }
  }

  async #stored(cids: readonly CID[], { signal, lease }: ReadOptions & KeepOptions): Promise<readonly boolean[]> {
    const leaves = cids.filter(isLeaf)
    const removing = leaves.map(cid => this.#keep(cid, lease)).at(-1)
    if (removing !== undefined) await removing
    const found = await this.#blocks.hasAll!(leaves, { signal })
    if (leaves.length === cids.length) return found
    const left = found.values()
    return cids.map(cid => isLeaf(cid) && left.next().value === true)
  }

  /** Looks at links only: leaves are not read, and need not be here. */
  linking({ offline }: Options): Children {
    return (cid, { signal }) => (cid.code === RAW ? NONE : this.#links(cid, { signal, offline }))
  }

  /** Makes sure that the block is stored here, and stays as long as the lease is held. */
  async fetch(cid: CID, options: ReadOptions & KeepOptions): Promise<void> {
    checkCidSecurity(cid)
    const removing = this.#keep(cid, options.lease)
    if (removing !== undefined) await removing
    if (!(await this.#blocks.has(cid, { signal: options.signal }))) await this.#blocks.get(cid, options)
  }

  #keep({ multihash }: CID, lease: Lease | undefined): Promise<void> | undefined {
    return lease && this.#barrier?.storing(multihash.bytes, { lease })
  }

  async #links(cid: CID, options: ReadOptions & KeepOptions): Promise<Links> {
    // A node that is damaged may lack a link, and what it should link to would not be kept.
    const bytes = await this.#reads.get(cid, { ...options, checked: true })
    if (bytes.byteLength <= AS_OBJECTS) return this.#dag.links(cid, bytes).map(link => link.cid)
    const list = new CidList()
    eachLinked(this.#dag, cid, bytes, linked => list.push(linked))
    return list
  }
}
