import { digestSync } from '../../cid/hashers.ts'
import { importErrors } from '../../errors/unixfs-import.ts'
import { encodeUtf8 } from '../../go/utf8.ts'
import type { Built, NodeBuilder } from './builder.ts'
import { DIRECTORY_DATA, encodeHamtData, type NodeLink } from './encode.ts'

/** murmur3 x64-64, the only hash of HAMT directories, and their width in the reference (boxo 0.19, ipld/unixfs/hamt). */
const HAMT_HASH = 0x22
const FANOUT = 256

/** Size of a directory, by names and CIDs, at which it is sharded: Kubo's `Internal.UnixFSShardingSizeThreshold`. */
export const SHARDING_THRESHOLD = 262_144

/** A directory under construction: a name and a link for each entry, nothing else. */
export class DirectoryBuilder {
  readonly #entries = new Map<string, NodeLink>()
  readonly #threshold: number
  #estimate = 0

  constructor(threshold: number = SHARDING_THRESHOLD) {
    this.#threshold = threshold
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** @throws E_ENTRY_EXISTS */
  add(name: string, { cid, size }: Built): void {
    if (this.#entries.has(name)) throw importErrors.E_ENTRY_EXISTS()
    const bytes = encodeUtf8(name)
    this.#entries.set(name, { cid, name: bytes, size })
    this.#estimate += bytes.length + cid.bytes.length
  }

  /** Whether it is large enough to be sharded. */
  get sharded(): boolean {
    return this.#entries.size > 0 && this.#estimate >= this.#threshold
  }

  /** The names in the order in which the finished directory has them. */
  names(): string[] {
    const sorted = this.sharded ? [...this.#slots()].map(slot => slot.link) : byName([...this.#entries.values()])
    const names = new Map([...this.#entries].map(([name, link]) => [link, name]))
    return sorted.map(link => names.get(link)!)
  }

  build(nodes: NodeBuilder): Promise<Built> {
    if (!this.sharded) return nodes.node(byName([...this.#entries.values()]), DIRECTORY_DATA)
    return buildShard([...this.#slots()], 0, nodes)
  }

  /** Entries in the order of their hashes, which is the order of the trie. */
  #slots(): Slot[] {
    const slots = [...this.#entries.values()].map(link => ({ link, hash: digestSync(HAMT_HASH, link.name) }))
    return slots.sort((a, b) => Buffer.compare(a.hash, b.hash))
  }
}

interface Slot {
  readonly link: NodeLink
  readonly hash: Uint8Array
}

/** Sorted by the bytes of the name, as dag-pb wants it; JavaScript's own order of strings differs beyond the basic plane. */
function byName(links: NodeLink[]): NodeLink[] {
  return links.sort((a, b) => Buffer.compare(a.name, b.name))
}

/** `slots` are sorted by hash and agree in the first `depth` bytes of it. */
async function buildShard(slots: readonly Slot[], depth: number, nodes: NodeBuilder): Promise<Built> {
  if (depth === slots[0]!.hash.length) throw importErrors.E_SHARD_TOO_DEEP()
  const links: NodeLink[] = []
  const bitfield = new Uint8Array(FANOUT / 8)
  for (let from = 0; from < slots.length; ) {
    const index = slots[from]!.hash[depth]!
    let to = from + 1
    while (to < slots.length && slots[to]!.hash[depth] === index) to++
    bitfield[bitfield.length - 1 - (index >> 3)]! |= 1 << (index & 7)
    const prefix = index.toString(16).toUpperCase().padStart(2, '0')
    if (to - from === 1) {
      const { cid, name, size } = slots[from]!.link
      links.push({ cid, size, name: Buffer.concat([Buffer.from(prefix), name]) })
    } else {
      links.push({ ...(await buildShard(slots.slice(from, to), depth + 1, nodes)), name: Buffer.from(prefix) })
    }
    from = to
  }
  const first = bitfield.findIndex(byte => byte !== 0)
  return nodes.node(links, encodeHamtData(bitfield.subarray(first), HAMT_HASH, FANOUT))
}
