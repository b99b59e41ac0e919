import { Key } from 'interface-datastore'
import { base32 } from 'multiformats/bases/base32'
import { IDENTITY, RAW } from '../../core/cid/codes.ts'
import { type BlockOptions, type Blocks, CID, type Dag, type Datastore } from '../../core/index.ts'
import { keyOf } from './tree/nodes.ts'

const NOTES = '/local/mfs-partial/'
/** Nodes of a graph that are looked at when it comes into the tree: one that has more may lack some. */
export const MOST_ADOPTED = 4096
/** Nodes that are read at a time. */
const AT_ONCE = 32

/**
 * Graphs that came into the tree from elsewhere and are not all here, as `files/cp` fetches the first block alone: of them, and of what they lacked,
 * nobody misses a block. Of everything else in the tree a block that is not here is lost.
 */
export class Partial {
  readonly #datastore: Datastore
  readonly #blocks: Blocks
  readonly #dag: Dag

  constructor({ datastore, blocks, dag }: { readonly datastore: Datastore; readonly blocks: Blocks; readonly dag: Dag }) {
    this.#datastore = datastore
    this.#blocks = blocks
    this.#dag = dag
  }

  /** Notes of a graph that is about to become part of the tree what it lacks. */
  async adopt(root: CID, { signal }: BlockOptions = {}, most = MOST_ADOPTED): Promise<void> {
    const missing: CID[] = []
    const seen = new Set<string>()
    let waiting: CID[] = []
    const reach = (cid: CID) => {
      if (cid.code === RAW || cid.multihash.code === IDENTITY || seen.has(keyOf(cid))) return
      seen.add(keyOf(cid))
      waiting.push(cid)
    }
    reach(root)
    let read = 0
    while (waiting.length > 0 && read < most) {
      signal?.throwIfAborted()
      const cids = waiting.slice(0, AT_ONCE)
      waiting = waiting.slice(AT_ONCE)
      read += cids.length
      const found = await Promise.all(cids.map(cid => this.#linked(cid, signal)))
      for (const [i, linked] of found.entries()) {
        if (linked === undefined) missing.push(cids[i]!)
        else for (const cid of linked) reach(cid)
      }
    }
    if (missing.length === 0 && waiting.length === 0) return
    const batch = this.#datastore.batch()
    for (const cid of [root, ...missing]) batch.put(new Key(NOTES + base32.baseEncode(cid.multihash.bytes)), cid.bytes)
    await batch.commit()
  }

  /** Whether a graph is one of them, by its root. */
  async known(): Promise<(cid: CID) => boolean> {
    const keys = new Set<string>()
    for await (const { value } of this.#datastore.query({ prefix: NOTES })) keys.add(keyOf(CID.decode(value)))
    return cid => keys.has(keyOf(cid))
  }

  async #linked(cid: CID, signal: AbortSignal | undefined): Promise<readonly CID[] | undefined> {
    try {
      const bytes = await this.#blocks.get(cid, { offline: true, ...(signal && { signal }) })
      return this.#dag.links(cid, bytes).map(link => link.cid)
    } catch {
      signal?.throwIfAborted()
      return undefined
    }
  }
}
