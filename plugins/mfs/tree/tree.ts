import type { CID } from 'multiformats/cid'
import { readCid } from '../../../core/cid/parse.ts'
import type { Size } from '../../../core/dag/node-links.ts'
import { byteString } from '../../../core/go/utf8.ts'
import { type BlockOptions, hasCode, type NodeNaming } from '../../../core/index.ts'
import { DIRECTORY_DATA } from '../../../core/unixfs/import/encode.ts'
import { mfsErrors } from '../errors.ts'
import { Directory } from './directory.ts'
import type { EntryTarget } from './entry.ts'
import { type Kind, kindOf } from './kind.ts'
import { Lru } from './lru.ts'
import type { Made, Nodes } from './nodes.ts'
import { NotLoaded } from './not-loaded.ts'
import { Plain } from './plain.ts'

/** Nodes that are no directories of which it is remembered what they are. */
const KINDS = 4096
/** The part of what may be in memory that stays there when room is made. */
const KEPT = 3 / 4
/** Times that work may meet something that is not loaded before nothing is let go of until it is done. */
const PATIENCE = 8

/** A leaf of the tree: a file or a symlink. */
export interface Leaf {
  readonly cid: CID
  readonly size: Size
  readonly kind: Kind
}

interface TreeLimits {
  /** Size from which on a directory is sharded, see {@link Directory}; 0: never. */
  readonly threshold: number
  /** Entries that are kept in memory. */
  readonly held: number
}

/**
 * The tree in memory, as far as it was used. All methods but {@link run} take no turns of the event loop and may throw {@link NotLoaded}; they
 * are called inside of `run`.
 */
export class Tree {
  readonly nodes: Nodes
  readonly root: Directory
  readonly #limits: TreeLimits
  /** The kinds of nodes, or why they have none, by the bytes of their CIDs. */
  readonly #kinds = new Lru<Kind | { error: unknown }>(KINDS)
  #busy = 0

  constructor(root: Directory, nodes: Nodes, limits: TreeLimits) {
    this.root = root
    this.nodes = nodes
    this.#limits = limits
    nodes.held = root.held
  }

  /** Does work in one step, after what it needs was loaded. */
  async run<T>(work: () => T, options: BlockOptions = {}): Promise<T> {
    let tries = 0
    this.root.used = ++this.nodes.moment
    try {
      for (;;) {
        options.signal?.throwIfAborted()
        try {
          return work()
        } catch (error) {
          if (!(error instanceof NotLoaded)) throw error
          if (++tries === PATIENCE) this.#busy++
          // What it waited for may have been let go of meanwhile; then it is met again.
          await error.load(options).catch(reason => {
            if (!(reason instanceof NotLoaded)) throw reason
          })
        }
      }
    } finally {
      if (tries >= PATIENCE) this.#busy--
    }
  }

  /**
   * The entry of a name: a directory, something else, or undefined where there is none.
   *
   * @param isStored - whether its block is looked for here alone
   * @throws what {@link kindOf} does
   */
  child(parent: Directory, name: string, isStored = false): Directory | Leaf | undefined {
    const there = parent.children.get(name)
    // also of one in memory, so that the shard with its entry stays there as long as it does: its node is made without waiting
    const entry = parent.entries.get(name)
    if (there !== undefined) {
      there.used = this.nodes.moment
      return there
    }
    if (entry === undefined) return undefined
    const kind = this.#kinds.get(entryKey(entry))
    if (kind === undefined || ('type' in kind && kind.type === 'directory'))
      throw new NotLoaded(options => this.#load(parent, name, entry, isStored ? { ...options, offline: true } : options))
    if ('error' in kind) throw kind.error
    return { cid: readCid(entry.cid), size: entry.size, kind }
  }

  /** The node at a path. @throws E_MFS_MISSING, E_MFS_FILE_ON_PATH */
  lookup(names: readonly string[]): Directory | Leaf {
    let at: Directory | Leaf = this.root
    for (const [i, name] of names.entries()) {
      if (!(at instanceof Directory)) throw mfsErrors.E_MFS_FILE_ON_PATH(names.slice(0, i + 1).join('/'))
      const next = this.child(at, name)
      if (next === undefined) throw mfsErrors.E_MFS_MISSING()
      at = next
    }
    return at
  }

  /** The node at a path; undefined where there is nothing, or only a file on the way. */
  find(names: readonly string[]): Directory | Leaf | undefined {
    try {
      return this.lookup(names)
    } catch (error) {
      if (hasCode(error, 'E_MFS_MISSING') || hasCode(error, 'E_MFS_FILE_ON_PATH')) return undefined
      throw error
    }
  }

  /** Puts an entry, in place of one that is there. */
  set(parent: Directory, name: string, cid: CID, size: Size): void {
    parent.set(name, { cid: cid.bytes, size }, this.#limits.threshold, this.nodes)
    this.nodes.held++
  }

  /** Remembers what a node is, which spares its look-up. */
  learn(cid: CID, kind: Kind): void {
    this.#kinds.set(byteString(cid.bytes), kind)
  }

  /** Loads what it takes to remove or replace these entries, so that no change to them that follows stops half way. */
  prepare(parent: Directory, names: readonly string[]): void {
    parent.prepare(names, this.#limits.threshold)
  }

  /** @returns false where there is none of this name */
  unlink(parent: Directory, name: string): boolean {
    return parent.delete(name, this.#limits.threshold, this.nodes)
  }

  /** An empty directory. @throws what names a CID that may not be */
  mkdir(parent: Directory, name: string, naming: NodeNaming): Directory {
    const made = this.nodes.make(naming, [], DIRECTORY_DATA)
    this.set(parent, name, made.cid, made.size)
    return this.#keep(new Directory(naming, new Plain(), made, { name, parent }), parent)
  }

  /** Makes the nodes of a directory and of all below it that changed. They wait to be stored. */
  fold(directory: Directory): Made {
    if (directory.made !== undefined) return directory.made
    const order = [directory]
    for (const each of order) order.push(...each.changed)
    for (const each of order.reverse()) each.make(this.#limits.threshold, this.nodes)
    return directory.made!
  }

  /** Lets go of what can be read again, where too much is in memory, and of what was asked for longest ago first. To be called when all is folded. */
  trim(): void {
    if (this.#busy > 0 || !this.isFull || this.root.made === undefined) return
    const parts = [...this.#parts()].sort((a, b) => a.used - b.used)
    let held = parts.reduce((sum, { size }) => sum + size, 0)
    let last = -1
    // Some more than there has to be, so that it is not done again at once.
    for (const { used, size } of parts) {
      if (held <= this.#limits.held * KEPT) break
      held -= size
      last = used
    }
    // What is above something was not asked for before that.
    const isCold = ({ used }: { used: number }) => used <= last
    for (const directory of this.#directories()) {
      if (directory.entries.kind === 'sharded') directory.entries.release(isCold)
      for (const [name, child] of directory.children) if (isCold(child)) directory.children.delete(name)
    }
    this.nodes.held = held
  }

  /** The parts of the tree that can be let go of one by one: when each was used, and how many entries it has. */
  *#parts(): Generator<{ used: number; size: number }> {
    for (const { used, entries } of this.#directories()) {
      if (entries.kind === 'plain') yield { used, size: entries.size }
      else for (const shard of entries.shards()) yield { used: Math.max(shard.used, shard === entries.root ? used : 0), size: shard.size }
    }
  }

  /** The directories in memory, each before those in it. */
  *#directories(): Generator<Directory> {
    const open = [this.root]
    for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
      yield directory
      for (const child of directory.children.values()) open.push(child)
    }
  }

  #keep(directory: Directory, parent: Directory): Directory {
    directory.used = this.nodes.moment
    parent.children.set(directory.name, directory)
    this.nodes.held += directory.held
    return directory
  }

  /** Whether {@link trim} would let go of something. */
  get isFull(): boolean {
    return this.nodes.held > this.#limits.held
  }

  async #load(parent: Directory, name: string, entry: EntryTarget, options: BlockOptions): Promise<void> {
    const loaded = await this.nodes.find(readCid(entry.cid), options)
    const key = entryKey(entry)
    let directory: Directory | undefined
    try {
      const kind = kindOf(loaded)
      if (kind.type === 'directory') directory = Directory.from(loaded, this.nodes, { name, parent })
      else this.#kinds.set(key, kind)
    } catch (error) {
      this.#kinds.set(key, { error })
    }
    // It may have become another one meanwhile.
    const now = parent.entries.get(name)
    if (directory === undefined || parent.children.has(name) || now === undefined || entryKey(now) !== key) return
    this.#keep(directory, parent)
  }
}

function entryKey({ cid }: EntryTarget): string {
  return byteString(cid)
}

/** The tree over a root that is stored. */
export async function openTree(root: CID, nodes: Nodes, limits: TreeLimits, options?: BlockOptions): Promise<Tree> {
  const loaded = await nodes.find(root, options)
  if (kindOf(loaded).type !== 'directory') throw mfsErrors.E_MFS_NOT_DIRECTORY('/')
  return new Tree(Directory.from(loaded, nodes), nodes, limits)
}
