import type { NodeNaming } from '../../../core/index.ts'
import { hashOfName } from '../../../core/unixfs/hash-of-name.ts'
import type { Metadata } from '../../../core/unixfs/metadata.ts'
import { costOf, type EntryTarget } from './entry.ts'
import type { Made, Nodes } from './nodes.ts'
import { NotLoaded } from './not-loaded.ts'
import { Plain } from './plain.ts'
import { Below, type Leaf, Shard, type Target } from './shard.ts'

/** Shards that are asked for at a time where many are needed. */
const AT_ONCE = 64

/** The entries of a sharded directory, its shards loaded as they are needed. */
export class Sharded {
  readonly kind = 'sharded'
  readonly root: Shard
  readonly #nodes: Nodes
  /** A size by names and CIDs that it is known to have at least; 0: unknown. */
  #atLeast = 0

  constructor(root: Shard, nodes: Nodes) {
    this.root = root
    this.#nodes = nodes
  }

  static of(plain: Plain, naming: NodeNaming, nodes: Nodes): Sharded {
    const sharded = new Sharded(new Shard(naming), nodes)
    for (const [name, entry] of plain.entries()) sharded.set(name, entry)
    sharded.#atLeast = plain.estimate
    return sharded
  }

  /** @throws NotLoaded */
  get(name: string): EntryTarget | undefined {
    const leaf = this.#path(name).leaf
    return leaf?.name === name ? leaf : undefined
  }

  /** To be called after {@link get} of the same name, which loads what it needs. */
  set(name: string, { cid, size }: EntryTarget): void {
    const hash = hashOfName(name)
    const { shards, slot, leaf, taken } = this.#path(name)
    const entry: Leaf = { name, cid, size }
    this.#change(shards)
    const last = shards.at(-1)!.shard
    if (this.#atLeast > 0) this.#atLeast += costOf(name, entry) - (leaf?.name === name ? costOf(name, leaf) : 0)
    if (leaf === undefined || leaf.name === name) last.set(slot, entry)
    else last.set(slot, new Below({ shard: this.#fork(last, leaf, entry, hash, taken) }))
  }

  /** To be called after {@link get} of the same name. A shard that is left with one entry gives it to the one above. */
  delete(name: string): void {
    const { shards, slot, leaf } = this.#path(name)
    if (leaf?.name !== name) return
    this.#change(shards)
    if (this.#atLeast > 0) this.#atLeast -= costOf(name, leaf)
    shards.at(-1)!.shard.delete(slot)
    for (let level = shards.length - 1; level > 0; level--) {
      const { shard, above } = shards[level]!
      const parent = shards[level - 1]!.shard
      if (shard.size > 1) return
      const only: Target | undefined = shard.targets().next().value
      if (only === undefined) parent.delete(above)
      else if (only instanceof Below) return
      else parent.set(above, only)
    }
  }

  make(naming: NodeNaming, nodes: Nodes, metadata?: Metadata): Made {
    this.root.naming = naming
    return this.root.make(nodes, metadata)
  }

  /**
   * Whether it is known to be smaller than `threshold` after a change by so many bytes. It is all loaded if so.
   *
   * @throws NotLoaded
   */
  isBelow(threshold: number, change: number): boolean {
    if (this.#atLeast + change >= threshold) return false
    // More is counted than is needed, so that many removals can follow before it is counted again.
    const { size, isAll } = this.#count(threshold + Math.max(threshold, -change))
    this.#atLeast = size
    return isAll && size + change < threshold
  }

  /** All of it as one block's entries; all has to be loaded. */
  toPlain(): Plain {
    const plain = new Plain()
    for (const target of this.#targets()) if (!(target instanceof Below)) plain.set(target.name, target)
    return plain
  }

  /** Entries and shards in memory. */
  get held(): number {
    let held = 0
    for (const shard of this.shards()) held += shard.size
    return held
  }

  /** Lets go of shards that can be read again, if `isCold`; those below one that stays are asked too. */
  release(isCold: (shard: Shard) => boolean): void {
    for (const shard of this.shards()) shard.release(isCold)
  }

  /** The shards in memory, each before those below it. */
  *shards(): Generator<Shard> {
    const open = [this.root]
    for (let shard = open.pop(); shard !== undefined; shard = open.pop()) {
      yield shard
      open.push(...shard.below())
    }
  }

  *#targets(): Generator<Target> {
    for (const shard of this.shards()) yield* shard.targets()
  }

  /**
   * The size of its entries, as far as that is less than `most`, and whether these are all. A shard that is not stored here is not fetched to be
   * counted: who removes an entry needs no other.
   */
  #count(most: number): { size: number; isAll: boolean } {
    let size = 0
    const missing: Below[] = []
    for (const target of this.#targets()) {
      if (!(target instanceof Below)) size += costOf(target.name, target)
      else if (target.shard === undefined) missing.push(target)
      if (size >= most) return { size, isAll: false }
    }
    const unread = missing.filter(({ isMissing }) => !isMissing).slice(0, AT_ONCE)
    if (unread.length === 0) return { size, isAll: missing.length === 0 }
    throw new NotLoaded(({ signal }) => Promise.all(unread.map(below => below.loadStored(this.#nodes, signal))))
  }

  /**
   * The shards from the root to the slot of a name, what entry is in it, and how many bits of the name's hash they have taken. Each takes as many
   * as it is wide: those of one trie need not agree.
   *
   * @throws NotLoaded
   */
  #path(name: string): { shards: Step[]; slot: number; leaf: Leaf | undefined; taken: number } {
    const hash = hashOfName(name)
    const shards: Step[] = [{ shard: this.root, above: -1, below: undefined }]
    for (let taken = 0; ; ) {
      const { shard } = shards.at(-1)!
      const slot = shard.slot(hash, taken)
      taken += shard.width.bits
      const target = shard.get(slot)
      if (!(target instanceof Below)) return { shards, slot, leaf: target, taken }
      shards.push({ shard: target.loaded(this.#nodes), above: slot, below: target })
    }
  }

  #change(shards: readonly Step[]): void {
    for (const { below } of shards) below?.change()
  }

  /** A shard for two entries whose hashes agree in all bits before `from`. */
  #fork({ naming, width }: Shard, old: Leaf, entry: Leaf, hash: Uint8Array, from: number): Shard {
    const shard = new Shard(naming, width)
    const [one, other] = [shard.slot(hashOfName(old.name), from), shard.slot(hash, from)]
    if (one === other) shard.set(one, new Below({ shard: this.#fork(shard, old, entry, hash, from + width.bits) }))
    else {
      shard.set(one, old)
      shard.set(other, entry)
    }
    return shard
  }
}

interface Step {
  readonly shard: Shard
  /** Its slot in the shard above. */
  readonly above: number
  readonly below: Below | undefined
}
