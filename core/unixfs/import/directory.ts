import { readVarint, varintSize, writeVarint } from '../../cid/varint.ts'
import { importErrors } from '../../errors/unixfs-import.ts'
import { encodeUtf8 } from '../../go/utf8.ts'
import { hashOfName } from '../hash-of-name.ts'
import type { Built, NodeBuilder } from './builder.ts'
import { DIRECTORY_DATA, type NodeLink } from './encode.ts'
import { buildHamt } from './hamt.ts'

/** Size of a directory, by names and CIDs, at which it is sharded: Kubo's `Internal.UnixFSShardingSizeThreshold`. */
export const SHARDING_THRESHOLD = 262_144

/** A directory under construction: of each entry its name, its CID and its size, and nothing else. */
export class DirectoryBuilder {
  /** A name's CID and Tsize in one string, one character a byte: a tenth of what the objects would take. */
  readonly #entries = new Map<string, string>()
  readonly #threshold: number
  #estimate = 0

  /** @param threshold - see {@link SHARDING_THRESHOLD}, in bytes */
  constructor(threshold: number = SHARDING_THRESHOLD) {
    this.#threshold = threshold
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** @throws E_ENTRY_EXISTS */
  add(name: string, built: Built): void {
    if (this.#entries.has(name)) throw importErrors.E_ENTRY_EXISTS()
    this.#entries.set(name, pack(built))
    this.#estimate += (name.isWellFormed() ? Buffer.byteLength(name) : encodeUtf8(name).length) + built.cid.bytes.length
  }

  /** Whether it is large enough to be sharded. */
  get sharded(): boolean {
    return this.#entries.size > 0 && this.#estimate >= this.#threshold
  }

  /** Some of its names in the order in which the finished directory has them. */
  inOrder(names: Iterable<string>): string[] {
    const key = this.sharded ? hashOfName : encodeUtf8
    return [...names]
      .map(name => ({ name, key: key(name) }))
      .sort((a, b) => Buffer.compare(a.key, b.key))
      .map(({ name }) => name)
  }

  build(nodes: NodeBuilder): Promise<Built> {
    if (this.sharded) {
      const packed = [...this.#entries.values()]
      return buildHamt({ names: [...this.#entries.keys()], target: index => unpack(packed[index]!) }, nodes)
    }
    const links: NodeLink[] = []
    for (const [name, packed] of this.#entries) links.push({ name: encodeUtf8(name), ...unpack(packed) })
    // By bytes, as dag-pb wants it; JavaScript's own order of strings differs beyond the basic plane.
    links.sort((a, b) => Buffer.compare(a.name, b.name))
    return nodes.node(links, DIRECTORY_DATA)
  }
}

/** Tsize as a varint, then the CID, one character a byte. */
function pack({ cid, size }: Built): string {
  const bytes = Buffer.allocUnsafe(varintSize(size) + cid.bytes.length)
  bytes.set(cid.bytes, writeVarint(size, bytes, 0))
  return bytes.toString('latin1')
}

function unpack(packed: string): Omit<NodeLink, 'name'> {
  const bytes = Buffer.from(packed, 'latin1')
  const { value: size, size: start } = readVarint(bytes)
  return { cid: bytes.subarray(start), size }
}
