import { readVarint, varintSize, writeVarint } from '../../cid/varint.ts'
import { encodeUtf8 } from '../../go/utf8.ts'
import { hashOfName } from '../hash-of-name.ts'
import { type Metadata, withMetadata } from '../metadata.ts'
import { SHARDING_THRESHOLD, type SizeEstimation } from '../sharding.ts'
import type { Built, NodeBuilder } from './builder.ts'
import { DIRECTORY_DATA, type NodeLink } from './encode.ts'
import { importErrors } from './errors.ts'
import { buildHamt } from './hamt.ts'

/** When a directory is sharded, and how. */
export interface DirectoryOptions {
  /** The size from which on it is sharded, see {@link SHARDING_THRESHOLD}, in bytes. */
  readonly threshold?: number | undefined
  /** How the size is reckoned. Default: by names and CIDs. */
  readonly estimation?: SizeEstimation | undefined
  /** Entries of one that is not sharded at most. Default, and 0 and less: no limit. */
  readonly maxLinks?: number | undefined
  readonly fanout?: number | undefined
}

/** A directory under construction: of each entry its name, its CID and its size, and nothing else. */
export class DirectoryBuilder {
  /** A name's CID and Tsize in one string, one character a byte: a tenth of what the objects would take. */
  readonly #entries = new Map<string, string>()
  readonly #options: DirectoryOptions
  readonly #metadata: Metadata | undefined
  readonly #data: Uint8Array
  #estimate: number

  /** @param metadata - what its node says of it */
  constructor(options: DirectoryOptions = {}, metadata?: Metadata) {
    this.#options = options
    this.#data = metadata === undefined ? DIRECTORY_DATA : withMetadata(DIRECTORY_DATA, metadata)
    this.#metadata = metadata
    this.#estimate = options.estimation === 'block' ? fieldSize(this.#data.length) : 0
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** @throws E_ENTRY_EXISTS */
  add(name: string, built: Built): void {
    if (this.#entries.has(name)) throw importErrors.E_ENTRY_EXISTS()
    this.#entries.set(name, pack(built))
    const length = name.isWellFormed() ? Buffer.byteLength(name) : encodeUtf8(name).length
    const { cid, size } = built
    this.#estimate += this.#options.estimation === 'block' ? linkSize(length, cid.bytes.length, size) : length + cid.bytes.length
  }

  /** Whether it is large enough to be sharded. */
  get sharded(): boolean {
    const { threshold = SHARDING_THRESHOLD, maxLinks = 0 } = this.#options
    const { size } = this.#entries
    return size > 0 && (this.#estimate >= threshold || (maxLinks > 0 && size > maxLinks))
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
      return buildHamt({ names: [...this.#entries.keys()], target: index => unpack(packed[index]!) }, nodes, {
        fanout: this.#options.fanout,
        metadata: this.#metadata
      })
    }
    const links: NodeLink[] = []
    for (const [name, packed] of this.#entries) links.push({ name: encodeUtf8(name), ...unpack(packed) })
    // By bytes, as dag-pb wants it; JavaScript's own order of strings differs beyond the basic plane.
    links.sort((a, b) => Buffer.compare(a.name, b.name))
    return nodes.node(links, this.#data)
  }
}

/** Bytes of a dag-pb link with its frame. */
function linkSize(name: number, cid: number, size: number): number {
  return fieldSize(fieldSize(cid) + fieldSize(name) + 1 + varintSize(size))
}

/** Bytes of a field of protobuf that has so many: its tag, their number, and themselves. */
const fieldSize = (bytes: number) => 1 + varintSize(bytes) + bytes

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
