import { readCid } from '../../../core/cid/parse.ts'
import type { BlockOptions } from '../../../core/index.ts'
import type { Made, Nodes } from './nodes.ts'
import { NotLoaded } from './not-loaded.ts'
import { Shard } from './shard.ts'

/** A deeper shard in a slot: by its CID, in memory, or both. Without a CID it was changed, and is in memory. */
export class Below {
  cid: Uint8Array | undefined
  size: number
  shard: Shard | undefined

  constructor({ cid, size, shard }: { cid?: Uint8Array; size?: number; shard?: Shard }) {
    this.cid = cid
    this.size = size ?? 0
    this.shard = shard
  }

  /** @throws NotLoaded */
  loaded(nodes: Nodes): Shard {
    if (this.shard === undefined) throw new NotLoaded(options => this.load(nodes, options))
    this.shard.used = nodes.moment
    return this.shard
  }

  /** Says what its shard was made into. */
  stored({ cid, size }: Made): void {
    // A copy: what a hash answers lies in memory that many share.
    this.cid = new Uint8Array(cid.bytes)
    this.size = size
  }

  async load(nodes: Nodes, options?: BlockOptions): Promise<void> {
    const { cid } = this
    if (cid === undefined || this.shard !== undefined) return
    const shard = Shard.from(await nodes.load(readCid(cid), options))
    if (this.cid !== cid || this.shard !== undefined) return
    shard.used = nodes.moment
    this.shard = shard
    nodes.held += shard.size
  }
}
