import { MURMUR3_64 } from '../../cid/codes.ts'
import { encodeUtf8 } from '../../go/utf8.ts'
import { Turns } from '../../turns.ts'
import { slotAt } from '../export/hamt.ts'
import { HASH_BYTES, hashOfName } from '../hash-of-name.ts'
import { type Metadata, withMetadata } from '../metadata.ts'
import type { Built, NodeBuilder } from './builder.ts'
import { encodeHamtData, type NodeLink } from './encode.ts'
import { importErrors } from './errors.ts'

/** Width of a sharded directory in the reference where nobody says otherwise (boxo 0.19, ipld/unixfs/hamt). */
const DEFAULT_FANOUT = 256

/** Entries of a directory, by number. */
interface Entries {
  readonly names: readonly string[]
  /** CID and Tsize of an entry. */
  target(index: number): Omit<NodeLink, 'name'>
}

/** How a sharded directory is made. */
interface HamtOptions {
  /** Slots of a shard: a power of two from 8 to 1024. */
  readonly fanout?: number | undefined
  /** Metadata of its root. */
  readonly metadata?: Metadata | undefined
}

/** Makes the blocks of a sharded directory, of which there has to be at least one entry. @throws E_SHARD_TOO_DEEP */
export async function buildHamt(entries: Entries, nodes: NodeBuilder, options: HamtOptions = {}): Promise<Built> {
  const { names } = entries
  const turns = new Turns()
  const hashes = new Uint8Array(names.length * HASH_BYTES)
  for (const [i, name] of names.entries()) {
    hashes.set(hashOfName(name), i * HASH_BYTES)
    if (turns.due) await turns.take()
  }
  return new Trie(entries, hashes, nodes, options).shard(Uint32Array.from(names.keys()), 0)
}

class Trie {
  readonly #entries: Entries
  readonly #hashes: Uint8Array
  readonly #nodes: NodeBuilder
  readonly #fanout: number
  readonly #bits: number
  readonly #metadata: Metadata | undefined

  constructor(entries: Entries, hashes: Uint8Array, nodes: NodeBuilder, { fanout = DEFAULT_FANOUT, metadata }: HamtOptions) {
    this.#entries = entries
    this.#hashes = hashes
    this.#nodes = nodes
    this.#fanout = fanout
    this.#bits = Math.log2(fanout)
    this.#metadata = metadata
  }

  /** @param members - entries whose hashes agree in the slots of the levels above `depth` */
  async shard(members: Uint32Array, depth: number): Promise<Built> {
    if (this.#bits * (depth + 1) > 8 * HASH_BYTES) throw importErrors.E_SHARD_TOO_DEEP()
    const { sorted, ends } = this.#bySlot(members, depth)
    const links: NodeLink[] = []
    const fanout = this.#fanout
    const digits = (fanout - 1).toString(16).length
    const taken = new Uint8Array(fanout / 8)
    for (let slot = 0, from = 0; slot < fanout; from = ends[slot++]!) {
      const inside = ends[slot]! - from
      if (inside === 0) continue
      taken[taken.length - 1 - (slot >> 3)]! |= 1 << (slot & 7)
      const name = slot.toString(16).toUpperCase().padStart(digits, '0')
      if (inside === 1) links.push(this.#entry(sorted[from]!, name))
      else links.push(await this.#below(sorted.subarray(from, ends[slot]!), depth + 1, name))
    }
    const first = taken.findIndex(byte => byte !== 0)
    const data = encodeHamtData(taken.subarray(first), MURMUR3_64, fanout)
    return this.#nodes.node(links, depth === 0 && this.#metadata !== undefined ? withMetadata(data, this.#metadata) : data)
  }

  #entry(index: number, slot: string): NodeLink {
    return { name: encodeUtf8(slot + this.#entries.names[index]!), ...this.#entries.target(index) }
  }

  async #below(members: Uint32Array, depth: number, slot: string): Promise<NodeLink> {
    const { cid, size } = await this.shard(members, depth)
    return { name: encodeUtf8(slot), cid: cid.bytes, size }
  }

  /** Entries sorted by their slot at this depth, and where each slot's end among them. */
  #bySlot(members: Uint32Array, depth: number): { sorted: Uint32Array; ends: Uint32Array } {
    const from = depth * this.#bits
    const slots = new Uint16Array(members.length)
    const ends = new Uint32Array(this.#fanout)
    for (let i = 0; i < members.length; i++) {
      slots[i] = slotAt({ bits: this.#bits }, this.#hashes, from, members[i]! * HASH_BYTES)!
      ends[slots[i]!]!++
    }
    for (let slot = 1; slot < this.#fanout; slot++) ends[slot]! += ends[slot - 1]!
    const next = new Uint32Array(this.#fanout)
    next.set(ends.subarray(0, -1), 1)
    const sorted = new Uint32Array(members.length)
    for (let i = 0; i < members.length; i++) sorted[next[slots[i]!]!++] = members[i]!
    return { sorted, ends }
  }
}
