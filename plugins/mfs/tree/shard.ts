import { readCid } from '../../../core/cid/parse.ts'
import type { Size } from '../../../core/dag/node-links.ts'
import { byteString, encodeUtf8 } from '../../../core/go/utf8.ts'
import type { BlockOptions, NodeNaming } from '../../../core/index.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import { isShardLink, labelOf, type Shard as Shape, slotAt } from '../../../core/unixfs/export/hamt.ts'
import type { LoadedBlock } from '../../../core/unixfs/export/node.ts'
import { loadShard, loadShardBelow } from '../../../core/unixfs/export/trie.ts'
import { encodeHamtData } from '../../../core/unixfs/import/encode.ts'
import { type Metadata, withMetadata } from '../../../core/unixfs/metadata.ts'
import { mfsErrors } from '../errors.ts'
import { namingOfCid } from '../naming.ts'
import type { EntryTarget } from './entry.ts'
import type { EntryLink, Made, Nodes } from './nodes.ts'
import { NotLoaded } from './not-loaded.ts'
import { type ShardLink, ShardLinks, slotsOf } from './shard-links.ts'

const MURMUR3 = 0x22

/** An entry in a slot. */
export interface Leaf extends EntryTarget {
  readonly name: string
}

/** A deeper shard in a slot: by its CID, in memory, or both. Without a CID it was changed, and is in memory. */
export class Below {
  /** A character a byte: an array of so few takes six times the memory, and a directory has a third as many as entries. */
  #cid: string | undefined
  size: Size
  shard: Shard | undefined
  /** Whether its block was not stored here when it was looked for last. */
  isMissing = false

  constructor({ cid, size, shard }: { cid?: Uint8Array; size?: Size; shard?: Shard }) {
    this.#cid = cid && byteString(cid)
    this.size = size ?? 0
    this.shard = shard
  }

  get cid(): Uint8Array | undefined {
    return this.#cid === undefined ? undefined : Buffer.from(this.#cid, 'latin1')
  }

  get isChanged(): boolean {
    return this.#cid === undefined
  }

  change(): void {
    this.#cid = undefined
  }

  /** @throws NotLoaded */
  loaded(nodes: Nodes): Shard {
    if (this.shard === undefined) throw new NotLoaded(options => this.load(nodes, options))
    this.shard.used = nodes.moment
    return this.shard
  }

  /** Says what its shard was made into. */
  stored({ cid, size }: Made): void {
    this.#cid = byteString(cid.bytes)
    this.size = size
  }

  /** Loads it if it is stored here, and can be read. */
  async loadStored(nodes: Nodes, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.load(nodes, { signal, offline: true })
    } catch {
      signal?.throwIfAborted()
      this.isMissing = true
    }
  }

  async load(nodes: Nodes, options?: BlockOptions): Promise<void> {
    const [{ cid }, name] = [this, this.#cid]
    if (cid === undefined || this.shard !== undefined) return
    const loaded = await nodes.find(readCid(cid), options)
    const shard = Shard.from(loaded, loadShardBelow(loaded))
    if (this.#cid !== name || this.shard !== undefined) return
    shard.used = nodes.moment
    this.shard = shard
    this.isMissing = false
    nodes.held += shard.size
  }
}

export type Target = Leaf | Below
type Width = Pick<Shape, 'fanout' | 'bits' | 'padding'>

/**
 * One node of a HAMT (boxo 0.19, ipld/unixfs/hamt): its links as its block has them, and what has changed since. So an entry takes as much memory
 * as its link does, until it is asked for.
 */
export class Shard {
  naming: NodeNaming
  readonly width: Width
  /** When it was last asked for; see {@link Nodes.moment}. */
  used = 0
  #links = NO_LINKS
  /** The child in a slot instead of its link; undefined: none. Deeper shards that were asked for are here too. */
  #targets = NO_TARGETS
  /** Slots that are taken. */
  size = 0

  constructor(naming: NodeNaming, width: Width = WIDTH) {
    this.naming = naming
    this.width = width
  }

  /** @throws E_HAMT_… where it is broken */
  static from(loaded: LoadedBlock, shape = loadShard(loaded)): Shard {
    const { fanout, bits, padding } = shape
    const shard = new Shard(namingOfCid(loaded.cid), { fanout, bits, padding })
    const slots = slotsOf(loaded, shape)
    const links = ShardLinks.from(loaded, slots, fanout)
    const { node } = loaded
    if (links !== undefined) shard.#links = links
    else
      for (const [i, slot] of slots.entries())
        shard.#put(slot, shard.#target({ name: node.name(i), cid: node.cid(i).bytes, size: node.size(i) }))
    shard.size = links === undefined ? shard.#targets.size : slots.length
    return shard
  }

  /** The slot of a name's hash, of which the shards above have taken the first bits. @throws E_MFS_SHARD_DEPTH */
  slot(hash: Uint8Array, from: number): number {
    const slot = slotAt(this.width, hash, from)
    if (slot === undefined) throw mfsErrors.E_MFS_SHARD_DEPTH()
    return slot
  }

  get(slot: number): Target | undefined {
    if (this.#targets.has(slot)) return this.#targets.get(slot)
    const index = this.#links.find(slot)
    return index < 0 ? undefined : this.#read(slot, index)
  }

  set(slot: number, target: Target): void {
    if (!this.#has(slot)) this.size++
    this.#put(slot, target)
  }

  delete(slot: number): void {
    if (!this.#has(slot)) return
    this.size--
    this.#put(slot, undefined)
  }

  /** The children in the slots, in no order. */
  *targets(): Generator<Target> {
    // Before deeper shards that only its links name come to be among them.
    const known = [...this.#targets.values()]
    for (const [index, slot] of this.#links.slots.entries()) if (!this.#targets.has(slot)) yield this.#read(slot, index)
    for (const target of known) if (target !== undefined) yield target
  }

  /** Deeper shards that are in memory. */
  *below(): Generator<Shard> {
    for (const target of this.#targets.values()) if (target instanceof Below && target.shard !== undefined) yield target.shard
  }

  /** Lets go of deeper shards that can be read again, if `isCold`. */
  release(isCold: (shard: Shard) => boolean): void {
    for (const [slot, target] of this.#targets) {
      if (!(target instanceof Below) || target.isChanged) continue
      if (target.shard !== undefined && isCold(target.shard)) target.shard = undefined
      if (target.shard === undefined && this.#links.find(slot) >= 0) this.#forget(slot)
    }
  }

  /** Makes its node, after those of the changed shards below it. */
  make(nodes: Nodes, metadata: Metadata = {}): Made {
    const { fanout, padding } = this.width
    const links: Array<EntryLink & { slot: number }> = []
    const replaced = new Set<number>()
    for (const [slot, target] of this.#targets) {
      // A shard below that has a CID is as its link says.
      if (target instanceof Below && !target.isChanged && this.#links.find(slot) >= 0) continue
      replaced.add(slot)
      if (target === undefined) continue
      const label = labelOf(slot, { padding })
      if (target instanceof Below && target.isChanged) target.stored(target.shard!.make(nodes))
      links.push({ slot, name: encodeUtf8(target instanceof Below ? label : label + target.name), cid: target.cid!, size: target.size })
    }
    const changed = this.#links.with(replaced, links)
    const data = encodeHamtData(bitfieldOf(changed.slots, fanout), MURMUR3, fanout)
    const block = changed.block(withMetadata(data, metadata))
    this.#links = block.links
    // Shards below that are in memory stay there.
    for (const [slot, target] of this.#targets) if (!(target instanceof Below && target.shard !== undefined)) this.#forget(slot)
    return nodes.take(this.naming, block.bytes, changed.sizes)
  }

  #put(slot: number, target: Target | undefined): void {
    if (this.#targets === NO_TARGETS) this.#targets = new Map()
    this.#targets.set(slot, target)
  }

  #forget(slot: number): void {
    this.#targets.delete(slot)
    if (this.#targets.size === 0) this.#targets = NO_TARGETS
  }

  #has(slot: number): boolean {
    return this.#targets.has(slot) ? this.#targets.get(slot) !== undefined : this.#links.find(slot) >= 0
  }

  #read(slot: number, index: number): Target {
    const target = this.#target(this.#links.link(index))
    // Its deeper shard is to be loaded into the same object.
    if (target instanceof Below) this.#put(slot, target)
    return target
  }

  #target({ name, cid, size }: ShardLink): Target {
    return isShardLink(this.width, name) ? new Below({ cid, size }) : { cid, size, name: name.slice(this.width.padding) }
  }
}

const NO_LINKS = new ShardLinks(new Uint8Array(0), [0], [], 0)
/** The targets of a shard without changes, as most are: never written to. */
const NO_TARGETS = new Map<number, Target | undefined>()

/** Kubo's own (boxo 0.19, ipld/unixfs/io: `DefaultShardWidth`). */
const WIDTH = { fanout: 256, bits: 8, padding: 2 }

/** Which slots are taken: a big-endian number, leading zeros left out. */
function bitfieldOf(slots: Iterable<number>, fanout: number): Uint8Array {
  const taken = new Uint8Array(fanout / 8)
  for (const slot of slots) taken[taken.length - 1 - (slot >> 3)]! |= 1 << (slot & 7)
  const first = taken.findIndex(byte => byte !== 0)
  return first < 0 ? new Uint8Array(0) : taken.subarray(first)
}

/** Whether a directory's node is the root of a HAMT. */
export function isSharded({ node }: LoadedBlock): boolean {
  return decodeUnixFs(node.data).type === 5
}
