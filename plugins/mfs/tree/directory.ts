import type { CID } from 'multiformats/cid'
import { sizeOf } from '../../../core/dag/node-links.ts'
import type { NodeNaming } from '../../../core/index.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import type { LoadedBlock } from '../../../core/unixfs/export/node.ts'
import { cumulativeSize } from '../../../core/unixfs/export/node.ts'
import { type Metadata, metadataOf } from '../../../core/unixfs/metadata.ts'
import { namingOfCid } from '../naming.ts'
import { costOf, type EntryTarget } from './entry.ts'
import type { Made, Nodes } from './nodes.ts'
import { Plain } from './plain.ts'
import { isSharded, Shard } from './shard.ts'
import { Sharded } from './sharded.ts'

/** A directory in memory: its entries, and those of its directories that are in memory too. */
export class Directory {
  readonly name: string
  readonly parent: Directory | undefined
  /** Parts of the path to it. */
  readonly depth: number
  readonly children = new Map<string, Directory>()
  /** The children that changed, so that their entries here do not lead to them. */
  readonly changed = new Set<Directory>()
  naming: NodeNaming
  /** Metadata of its node. */
  metadata: Metadata = {}
  entries: Plain | Sharded
  /** When it was last asked for; see {@link Nodes.moment}. */
  used = 0
  /** Undefined: it changed, or something below it. */
  made: Made | undefined

  constructor(
    naming: NodeNaming,
    entries: Plain | Sharded,
    made?: Made,
    { name = '', parent }: { name?: string; parent?: Directory } = {}
  ) {
    this.naming = naming
    this.entries = entries
    this.made = made
    this.name = name
    this.parent = parent
    this.depth = parent === undefined ? 0 : parent.depth + 1
  }

  /** @throws E_HAMT_…, E_PROTOBUF */
  static from(loaded: LoadedBlock, nodes: Nodes, place?: { name: string; parent: Directory }): Directory {
    const entries = isSharded(loaded) ? new Sharded(Shard.from(loaded), nodes) : Plain.from(loaded.node)
    const directory = new Directory(namingOfCid(loaded.cid), entries, { cid: loaded.cid, size: sizeOf(cumulativeSize(loaded)) }, place)
    directory.metadata = metadataOf(decodeUnixFs(loaded.node.data))
    return directory
  }

  /** The names on the path to it. */
  get path(): string[] {
    const names: string[] = []
    for (let at: Directory = this; at.parent !== undefined; at = at.parent) names.push(at.name)
    return names.reverse()
  }

  /** Marks it and all above it as changed. */
  change(): void {
    for (let at: Directory = this; at.made !== undefined; at = at.parent) {
      at.made = undefined
      if (at.parent === undefined) return
      at.parent.changed.add(at)
    }
  }

  /**
   * Puts an entry, in place of one that is there; the directory becomes sharded, or one block again, as its size has it.
   *
   * @throws NotLoaded
   */
  set(name: string, entry: EntryTarget, threshold: number, nodes: Nodes): void {
    const before = this.entries.get(name)
    const change = costOf(name, entry) - (before === undefined ? 0 : costOf(name, before))
    this.#fit(change, threshold, nodes)
    this.#forget(name)
    this.entries.set(name, entry)
    this.change()
  }

  /** To be called where these entries change one after the other. @throws NotLoaded */
  prepare(names: readonly string[], threshold: number): void {
    let change = 0
    for (const name of names) {
      const entry = this.entries.get(name)
      if (entry !== undefined) change -= costOf(name, entry)
    }
    if (threshold !== 0 && this.entries.kind === 'sharded') this.entries.isBelow(threshold, change)
  }

  /** @returns false where there is none. @throws NotLoaded */
  delete(name: string, threshold: number, nodes: Nodes): boolean {
    const before = this.entries.get(name)
    if (before === undefined) return false
    this.#fit(-costOf(name, before), threshold, nodes)
    this.#forget(name)
    this.entries.delete(name)
    this.change()
    return true
  }

  /** Makes its node; those of all changed directories below it have been made. */
  make(threshold: number, nodes: Nodes): CID {
    for (const child of this.changed) {
      const { cid, size } = child.made!
      const entry = { cid: cid.bytes, size }
      // To make one block of it again may take shards that are not loaded; its size changes here only where a CID does.
      if (this.entries.kind === 'plain')
        this.#fit(costOf(child.name, entry) - costOf(child.name, this.entries.get(child.name)!), threshold, nodes)
      this.entries.set(child.name, entry)
    }
    this.changed.clear()
    this.made = this.entries.make(this.naming, nodes, this.metadata)
    return this.made.cid
  }

  /** Entries in memory, without those of its directories. */
  get held(): number {
    return this.entries.kind === 'plain' ? this.entries.size : this.entries.held
  }

  #fit(change: number, threshold: number, nodes: Nodes): void {
    if (threshold === 0) return
    const { entries } = this
    if (entries.kind === 'plain') {
      if (entries.estimate + change >= threshold) this.entries = Sharded.of(entries, this.naming, nodes)
    } else if (change < 0 && entries.isBelow(threshold, change)) this.entries = entries.toPlain()
  }

  #forget(name: string): void {
    const child = this.children.get(name)
    if (child === undefined) return
    this.children.delete(name)
    this.changed.delete(child)
  }
}
