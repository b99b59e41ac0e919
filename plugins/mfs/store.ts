import type { CID } from 'multiformats/cid'
import { fastBlocks } from '../../core/blocks/fast.ts'
import { unlessAborted } from '../../core/concurrency/index.ts'
import type {
  BlockOptions,
  Blockstore,
  ByteRange,
  Collector,
  Datastore,
  Host,
  Lease,
  Metadata,
  Mfs,
  MfsEntry,
  MfsMakeOptions,
  MfsNode,
  MfsOptions,
  MfsWriteOptions,
  NodeNaming,
  Repo,
  Root,
  Startable
} from '../../core/index.ts'
import { messageOf } from '../../core/index.ts'
import { DIRECTORY_DATA } from '../../core/unixfs/import/encode.ts'
import { shardingOf } from '../../core/unixfs/sharding.ts'
import { Context, type Parts } from './context.ts'
import { type Change, Journal } from './journal.ts'
import { V0 } from './naming.ts'
import { Partial } from './partial.ts'
import { checkPath } from './paths.ts'
import { Nodes } from './tree/nodes.ts'
import { openTree } from './tree/tree.ts'
import { copy } from './verbs/copy.ts'
import { describe } from './verbs/describe.ts'
import { link } from './verbs/link.ts'
import { list } from './verbs/list.ts'
import { mkdir } from './verbs/mkdir.ts'
import { move } from './verbs/move.ts'
import { flush, stat } from './verbs/node.ts'
import { read } from './verbs/read.ts'
import { type RemoveOptions, remove } from './verbs/remove.ts'
import { rename } from './verbs/rename.ts'
import { write } from './verbs/write.ts'

export interface StoreParts extends Parts {
  readonly datastore: Datastore
  readonly blockstore: Blockstore
  readonly repo: Repo | undefined
  readonly host: Pick<Host, 'level'>
  readonly collector: Collector | undefined
}

/** The mutable tree over this node's blocks, its root and the changes since in the datastore. It is opened with its first use. */
export class MfsStore implements Mfs, Startable {
  readonly #parts: StoreParts
  #journal: Journal
  #context: Promise<Context> | undefined
  /** Whether it is open; before that somebody may wait for a block that nobody has. */
  #isOpen = false
  /** Whether it is being opened from what is stored here alone. */
  #isOpenedHere = false
  /** Of a tree whose last changes could not be kept, what goes on: the changes that nobody waited for, and the nodes that were made for them. */
  #carried: { readonly nodes: Nodes; readonly changes: readonly Change[] } | undefined
  readonly #partial: Partial
  #roots: Lease | undefined
  readonly #stopping = new AbortController()

  constructor(parts: StoreParts) {
    this.#parts = parts
    this.#partial = new Partial(parts)
    this.#journal = this.#newJournal(new Nodes(parts.blocks, parts.dag, parts.settings.search))
  }

  start(): void {
    this.#roots = this.#parts.collector?.addRoots({ name: 'mfs', roots: options => this.#keptRoots(options) })
  }

  /** The changes are kept one by one already: a next start without them is quicker. */
  async stop(): Promise<void> {
    this.#roots?.release()
    // A tree that waits for a block that nobody has is not waited for.
    this.#stopping.abort()
    const context = await this.#context?.catch(() => undefined)
    if (this.#parts.location?.readsOnly) return
    try {
      await context?.checkpoint()
    } catch (error) {
      if (this.#journal.waiting > 0) throw error
      this.#parts.log.warn(
        { err: error },
        `the directories are not written: the next start does it, as each change is kept: ${messageOf(error)}`
      )
    }
  }

  async stat(path: string, options?: BlockOptions): Promise<MfsNode> {
    return stat(await this.#open(options), checkPath(path), options)
  }

  async *list(path: string, options?: BlockOptions & { long?: boolean }): AsyncGenerator<MfsEntry> {
    yield* list(await this.#open(options), checkPath(path), options)
  }

  async read(path: string, options?: BlockOptions & ByteRange): Promise<AsyncIterable<Uint8Array>> {
    return read(await this.#open(options), checkPath(path), options)
  }

  async mkdir(path: string, options?: MfsMakeOptions): Promise<void> {
    await mkdir(await this.#open(options), checkPath(path), options)
  }

  async write(path: string, bytes: AsyncIterable<Uint8Array>, options?: MfsWriteOptions): Promise<void> {
    await write(await this.#open(options), checkPath(path), bytes, options)
  }

  async copy(from: string, to: string, options?: MfsMakeOptions): Promise<void> {
    await copy(await this.#open(options), checkPath(from), checkPath(to), options)
  }

  async move(from: string, to: string, options?: MfsOptions): Promise<void> {
    await move(await this.#open(options), checkPath(from), checkPath(to), options)
  }

  async remove(path: string, options?: RemoveOptions): Promise<void> {
    await remove(await this.#open(options), checkPath(path), options)
  }

  async flush(path: string, options?: BlockOptions): Promise<CID> {
    return flush(await this.#open(options), path, options)
  }

  async rename(path: string, naming: NodeNaming | undefined, options?: MfsOptions): Promise<void> {
    await rename(await this.#open(options), path, naming, options)
  }

  async describe(path: string, change: Metadata, options?: BlockOptions): Promise<void> {
    await describe(await this.#open(options), checkPath(path), change, options)
  }

  async link(path: string, name: string, cid: CID, options?: BlockOptions & { first?: boolean }): Promise<void> {
    await link(await this.#open(options), path, name, cid, options)
  }

  async restore(root: CID, options?: BlockOptions): Promise<void> {
    const { blocks, dag, settings } = this.#parts
    await openTree(root, new Nodes(blocks, dag, settings.search), { threshold: this.#threshold(), held: settings.held }, options)
    const context = await this.#open(options)
    await context.adopted(root, () => this.#journal.end(root), options)
    this.#isOpen = false
    this.#context = undefined
  }

  async #open({ signal }: BlockOptions = {}): Promise<Context> {
    // what is not here may come from peers
    if (this.#isOpenedHere)
      await unlessAborted(
        this.#context!.catch(() => {}),
        signal
      )
    this.#context ??= this.#loading(false)
    return unlessAborted(this.#context, signal)
  }

  /** The tree where it is open, or can be opened from what is stored here; undefined where somebody waits for more. */
  async #openHere({ signal }: BlockOptions): Promise<Context | undefined> {
    if (this.#context !== undefined && !this.#isOpen && !this.#isOpenedHere) return undefined
    this.#context ??= this.#loading(true)
    return unlessAborted(this.#context, signal)
  }

  async #loading(offline: boolean): Promise<Context> {
    this.#isOpenedHere = offline
    try {
      const context = await this.#load(offline)
      this.#isOpen = true
      return context
    } catch (error) {
      // A block that is missing may come.
      this.#context = undefined
      throw error
    } finally {
      this.#isOpenedHere = false
    }
  }

  async #load(offline: boolean): Promise<Context> {
    const { blocks, dag, settings } = this.#parts
    const options = { signal: this.#stopping.signal, offline }
    const carried = this.#carried
    const nodes = carried?.nodes ?? new Nodes(blocks, dag, settings.search)
    const journal = this.#newJournal(nodes)
    const stored = await journal.root()
    if (stored !== undefined && this.#parts.location?.readsOnly) journal.holds(stored)
    const root = stored ?? nodes.make(V0, [], DIRECTORY_DATA).cid
    const tree = await openTree(root, nodes, { threshold: this.#threshold(), held: settings.held }, options)
    const context = new Context(tree, journal, { ...this.#parts, partial: this.#partial })
    for (const change of await journal.read()) await context.redo(change, options)
    for (const change of carried?.changes ?? []) {
      await context.redo(change, options)
      journal.add(change)
    }
    journal.loosen()
    this.#carried = undefined
    this.#journal = journal
    return context
  }

  #newJournal(nodes: Nodes): Journal {
    const { datastore, blockstore, blocks, dag } = this.#parts
    return new Journal(datastore, fastBlocks(blockstore), {
      blocks,
      dag,
      storeMade: () => nodes.store(),
      onRefused: changes => {
        this.#carried = { nodes, changes }
        this.#isOpen = false
        this.#context = undefined
      }
    })
  }

  #threshold(): number {
    const { repo, host } = this.#parts
    const { threshold } = shardingOf(key => repo?.get(key), host.level)
    // 0: whatever is made or read stays what it is
    return Number.isFinite(threshold) ? threshold : 0
  }

  /**
   * The root with all of the tree: changes in memory are written first, so that one root has all of it. A tree that cannot be opened keeps what it
   * refers to. Nothing may be collected where a block of it was lost, as below it there may be anything.
   */
  async *#keptRoots(options: { signal?: AbortSignal } = {}): AsyncGenerator<Root> {
    let isStored = false
    try {
      const context = await this.#openHere(options)
      await context?.checkpoint()
      isStored = context !== undefined
    } catch (error) {
      options.signal?.throwIfAborted()
      this.#parts.log.warn({ err: error }, `the mutable tree is kept as it was stored, as it cannot be written: ${messageOf(error)}`)
    }
    if (!isStored) {
      for (const { cid } of await this.#journal.changes()) if (cid !== undefined) yield { cid, recursive: true, bestEffort: true }
    }
    const root = await this.#journal.root()
    if (root !== undefined) yield { cid: root, recursive: true, isPartial: await this.#partial.known() }
  }
}
