import type { CID } from 'multiformats/cid'
import type { Size } from '../../core/dag/node-links.ts'
import {
  type BlockOptions,
  type Blocks,
  type Dag,
  type Lease,
  type Logger,
  messageOf,
  type NodeNaming,
  type PathResolver,
  type RepoLocation,
  type UnixFs,
  type WriteBarrier
} from '../../core/index.ts'
import { KeyedLock } from '../../core/keyed-lock.ts'
import { mfsErrors } from './errors.ts'
import type { Change, Journal } from './journal.ts'
import { checkName } from './naming.ts'
import type { Partial } from './partial.ts'
import type { MfsSettings } from './settings.ts'
import { Directory } from './tree/directory.ts'
import { Lru } from './tree/lru.ts'
import type { Nodes } from './tree/nodes.ts'
import type { Tree } from './tree/tree.ts'

/** Names in a record at most: the path of every directory of a deep one that is made repeats those above it. */
const MOST_NAMES = 65_536

export interface Parts {
  readonly blocks: Blocks
  readonly dag: Dag
  readonly unixfs: UnixFs
  readonly paths: PathResolver
  readonly barrier: WriteBarrier
  readonly location: RepoLocation | undefined
  readonly settings: MfsSettings
  readonly log: Logger
}

/** The parts of one tree. */
export interface TreeParts extends Parts {
  readonly partial: Partial
}

/** The parts that the verbs work with: the tree in memory, and what is kept of it. */
export class Context {
  readonly tree: Tree
  readonly nodes: Nodes
  readonly parts: TreeParts
  /** One writer of a file at a time, by its path. */
  readonly writers = new KeyedLock()
  /** Whether a file was last written with raw leaves, by its path, where a caller said so; of so many files at most. */
  readonly leaves = new Lru<boolean>(4096)
  readonly #journal: Journal
  /** One that nobody asked for in particular. */
  #checkpoint: Promise<void> | undefined

  constructor(tree: Tree, journal: Journal, parts: TreeParts) {
    this.tree = tree
    this.nodes = tree.nodes
    this.#journal = journal
    this.parts = parts
  }

  /** Puts an entry into a directory of the tree; inside of `tree.run`. */
  put(parent: Directory, name: string, cid: CID, size: Size): void {
    const path = [...parent.path, name]
    this.tree.set(parent, name, cid, size)
    this.#changed({ path, cid, size })
  }

  /** Makes an empty directory, which {@link made} is told of, or of one above it; inside of `tree.run`. */
  mkdir(parent: Directory, name: string, naming: NodeNaming): Directory {
    if (parent.depth >= this.parts.settings.maxDepth) throw mfsErrors.E_MFS_PATH_DEPTH(this.parts.settings.maxDepth)
    return this.tree.mkdir(parent, name, naming)
  }

  /** A directory was made, and what is in it: one change, however many they are. */
  made(directory: Directory): void {
    const { cid, size } = this.tree.fold(directory)
    this.#changed({ path: directory.path, cid, size })
  }

  /** @returns false where there is no such entry; inside of `tree.run` */
  unlink(parent: Directory, name: string): boolean {
    const path = [...parent.path, name]
    if (!this.tree.unlink(parent, name)) return false
    this.leaves.delete(path.join('/'))
    this.#changed({ path })
    return true
  }

  /** Names a directory otherwise; inside of `tree.run`. */
  rename(directory: Directory, naming: NodeNaming): void {
    checkName(naming, this.nodes)
    directory.naming = naming
    directory.change()
    this.#changed({ path: directory.path, naming })
  }

  /** Does again what a record of the journal says. What it needs may be gone by a later one. */
  async redo({ path, cid, size = 0, naming }: Change, options: BlockOptions): Promise<void> {
    const { tree } = this
    await tree.run(() => {
      const folder = path.slice(0, -1)
      const at = find(tree, naming === undefined ? folder : path)
      if (at === undefined) return
      if (naming !== undefined) {
        at.naming = naming
        at.change()
      } else if (cid === undefined) tree.unlink(at, path.at(-1)!)
      else tree.set(at, path.at(-1)!, cid, size)
    }, options)
  }

  /** Says that a graph is about to become part of the tree; see {@link WriteBarrier}. */
  async announced<T>(cid: CID, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await this.parts.barrier.announce({ cid, recursive: true, bestEffort: true })
    try {
      return await work(lease)
    } finally {
      lease.release()
    }
  }

  /** The same of a graph from elsewhere, of which there may be no more than its first block. */
  adopted<T>(cid: CID, work: (lease: Lease) => Promise<T>, options?: BlockOptions): Promise<T> {
    return this.announced(cid, async lease => {
      await this.parts.partial.adopt(cid, options)
      return work(lease)
    })
  }

  /** Resolves when all changes so far are kept, where the caller wants that. */
  async keep(flush = true): Promise<void> {
    if (!flush) this.#journal.loosen()
    if (this.#journal.names > MOST_NAMES) return this.keepWhole()
    if (flush) await this.#journal.flush()
    const { journal: most } = this.parts.settings
    if (this.#journal.length + this.#journal.waiting < most && !this.tree.isFull) return
    const checkpoint = this.#begin()
    // Changes go on while the directories are written, but not without end.
    if (this.#journal.waiting > 4 * most || this.#journal.length > 4 * most) await checkpoint
  }

  /** The same by a root of the whole tree. */
  async keepWhole(): Promise<void> {
    try {
      await this.checkpoint()
    } catch (error) {
      this.#journal.refuse(error)
      throw error
    }
  }

  /** For who reads: lets go of what can be read again, where too much of the tree is in memory. */
  relieve(): void {
    this.tree.trim()
    if (this.tree.isFull) void this.#begin()
  }

  /** One checkpoint at a time. Its failure is told to who waits for it, and to the log. */
  #begin(): Promise<void> {
    if (this.#checkpoint === undefined) {
      this.#checkpoint = this.checkpoint().finally(() => {
        this.#checkpoint = undefined
      })
      this.#checkpoint.catch(error => this.parts.log.warn({ err: error }, `the mutable tree could not be written: ${messageOf(error)}`))
    }
    return this.#checkpoint
  }

  /** Makes and stores the nodes of all directories that changed, and keeps the root in place of the changes so far. */
  checkpoint(): Promise<void> {
    const { tree } = this
    return this.#journal.replace(() => {
      const { cid } = tree.fold(tree.root)
      tree.trim()
      return cid
    })
  }

  #changed(change: Change): void {
    this.#journal.add(change)
  }
}

function find(tree: Tree, names: readonly string[]): Directory | undefined {
  let at = tree.root
  for (const name of names) {
    const next = tree.child(at, name)
    if (!(next instanceof Directory)) return undefined
    at = next
  }
  return at
}
