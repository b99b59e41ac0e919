import type { NodeLinks } from '../../../core/dag/node-links.ts'
import { encodeUtf8 } from '../../../core/go/utf8.ts'
import type { NodeNaming } from '../../../core/index.ts'
import { DIRECTORY_DATA } from '../../../core/unixfs/import/encode.ts'
import { type Metadata, withMetadata } from '../../../core/unixfs/metadata.ts'
import { compareNames, costOf, type EntryTarget } from './entry.ts'
import type { Made, Nodes } from './nodes.ts'

/** The entries of a directory that is one block. */
export class Plain {
  readonly kind = 'plain'
  readonly #entries = new Map<string, EntryTarget>()
  /** The UnixFS data of its node. */
  readonly #data: Uint8Array
  #inOrder = true
  #last: string | undefined
  /** Size by names and CIDs. */
  estimate = 0

  constructor(data: Uint8Array = DIRECTORY_DATA) {
    this.#data = data
  }

  static from(node: NodeLinks): Plain {
    const plain = new Plain(node.data)
    for (let i = 0; i < node.length; i++) plain.set(node.name(i), { cid: node.cid(i).bytes, size: node.size(i) })
    return plain
  }

  get size(): number {
    return this.#entries.size
  }

  get(name: string): EntryTarget | undefined {
    return this.#entries.get(name)
  }

  set(name: string, entry: EntryTarget): void {
    const before = this.#entries.get(name)
    if (before === undefined) {
      this.#inOrder &&= this.#last === undefined || compareNames(this.#last, name) < 0
      this.#last = name
    } else this.estimate -= costOf(name, before)
    this.estimate += costOf(name, entry)
    this.#entries.set(name, entry)
  }

  delete(name: string): void {
    const before = this.#entries.get(name)
    if (before === undefined) return
    this.estimate -= costOf(name, before)
    this.#entries.delete(name)
  }

  entries(): Iterable<[string, EntryTarget]> {
    return this.#entries
  }

  make(naming: NodeNaming, nodes: Nodes, metadata: Metadata = {}): Made {
    this.#sort()
    const links = Array.from(this.#entries, ([name, { cid, size }]) => ({ name: encodeUtf8(name), cid, size }))
    return nodes.make(naming, links, withMetadata(this.#data, metadata))
  }

  #sort(): void {
    if (this.#inOrder) return
    const sorted = [...this.#entries].sort(([a], [b]) => compareNames(a, b))
    this.#entries.clear()
    for (const [name, entry] of sorted) this.#entries.set(name, entry)
    this.#last = sorted.at(-1)?.[0]
    this.#inOrder = true
  }
}
