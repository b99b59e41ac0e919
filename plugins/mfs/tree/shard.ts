import { readCid } from '../../../core/cid/parse.ts'
import { encodeUtf8 } from '../../../core/go/utf8.ts'
import type { BlockOptions, NodeNaming } from '../../../core/index.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import { loadShard } from '../../../core/unixfs/export/directory.ts'
import { isShardLink, slotAt } from '../../../core/unixfs/export/hamt.ts'
import type { Loaded } from '../../../core/unixfs/export/node.ts'
import { encodeHamtData } from '../../../core/unixfs/import/encode.ts'
import { type Metadata, withMetadata } from '../../../core/unixfs/metadata.ts'
import { mfsErrors } from '../errors.ts'
import { namingOfCid } from '../naming.ts'
import type { Entry } from './entry.ts'
import type { Made, Nodes } from './nodes.ts'
import { NotLoaded } from './not-loaded.ts'

const MURMUR3 = 0x22

/** An entry in a slot. */
export interface Leaf extends Entry {
  readonly name: string
}

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
    if (this.shard !== undefined) return this.shard
    throw new NotLoaded(options => this.load(nodes, options))
  }

  async load(nodes: Nodes, options?: BlockOptions): Promise<void> {
    const { cid } = this
    if (cid === undefined || this.shard !== undefined) return
    const shard = Shard.from(await nodes.load(readCid(cid), options))
    if (this.cid !== cid || this.shard !== undefined) return
    this.shard = shard
    nodes.held += shard.slots.size
  }
}

/** One node of a HAMT (boxo 0.19, ipld/unixfs/hamt). */
export class Shard {
  naming: NodeNaming
  readonly width: Pick<Width, 'fanout' | 'bits' | 'padding'>
  readonly slots = new Map<number, Leaf | Below>()

  constructor(naming: NodeNaming, width: Pick<Width, 'fanout' | 'bits' | 'padding'> = WIDTH) {
    this.naming = naming
    this.width = width
  }

  /** @throws E_HAMT_… where it is broken */
  static from(loaded: Loaded): Shard {
    const shape = loadShard(loaded)
    const { node, cid } = loaded
    const { fanout, bits, padding } = shape
    const shard = new Shard(namingOfCid(cid), { fanout, bits, padding })
    for (let i = 0; i < node.length; i++) {
      const label = node.name(i)
      const link = { cid: node.cid(i).bytes, size: Number(node.size(i)) }
      const slot = Number.parseInt(label.slice(0, padding), 16)
      shard.slots.set(slot, isShardLink(shape, label) ? new Below(link) : { ...link, name: label.slice(padding) })
    }
    return shard
  }

  /** The slot of a name's hash at a level. @throws E_MFS_SHARD_DEPTH */
  slot(hash: Uint8Array, level: number): number {
    const slot = slotAt(this.width as Width, hash, level)
    if (slot === undefined) throw mfsErrors.E_MFS_SHARD_DEPTH()
    return slot
  }

  /** Makes its node, after those of the changed shards below it. */
  make(nodes: Nodes, metadata: Metadata = {}): Made {
    const { fanout, padding } = this.width
    const taken = new Uint8Array(fanout / 8)
    const slots = [...this.slots].sort(([a], [b]) => a - b)
    const links = slots.map(([slot, target]) => {
      taken[taken.length - 1 - (slot >> 3)]! |= 1 << (slot & 7)
      const label = slot.toString(16).toUpperCase().padStart(padding, '0')
      if (!(target instanceof Below)) return { name: encodeUtf8(label + target.name), cid: target.cid, size: target.size }
      if (target.cid === undefined) {
        const made = target.shard!.make(nodes)
        target.cid = made.cid.bytes
        target.size = made.size
      }
      return { name: encodeUtf8(label), cid: target.cid, size: target.size }
    })
    const first = taken.findIndex(byte => byte !== 0)
    const data = encodeHamtData(first < 0 ? new Uint8Array(0) : taken.subarray(first), MURMUR3, fanout)
    return nodes.make(this.naming, links, withMetadata(data, metadata))
  }
}

type Width = ReturnType<typeof loadShard>

/** Kubo's own (boxo 0.19, ipld/unixfs/io: `DefaultShardWidth`). */
const WIDTH = { fanout: 256, bits: 8, padding: 2 }

/** Whether a directory's node is the root of a HAMT. */
export function isSharded({ node }: Loaded): boolean {
  return decodeUnixFs(node.data).type === 5
}
