import { equals } from 'multiformats/bytes'
import type { CID } from 'multiformats/cid'
import { fastBlocks } from '../../../core/blocks/fast.ts'
import { lostBelow } from '../../../core/dag/walk/lost.ts'
import {
  type BlockOptions,
  type BlockSources,
  Blocks,
  Blockstore,
  Dag,
  Datastore,
  type FastBlocks,
  hasCode,
  type Lease,
  type Pin,
  type PinList,
  type PinMode,
  type Pinned,
  type PinOptions,
  type Pins,
  type Startable,
  WriteBarrier
} from '../../../core/index.ts'
import { KeyedLock } from '../../../core/keyed-lock.ts'
import { pinErrors } from '../errors.ts'
import { fetchDifference } from '../walk/difference.ts'
import { Fetches } from '../walk/fetches.ts'
import { Graph } from '../walk/graph.ts'
import { ProgressNotes } from '../walk/progress.ts'
import { findRoots, reached } from '../walk/search.ts'
import { preparePins } from './prepare.ts'
import { idOf, PinRecord } from './record.ts'
import { eachOf, PinTable } from './table.ts'

/** Pins in the datastore. Changes of one CID come one after the other; walks hold nobody up, and are checked against what changed meanwhile. */
export class PinStore implements Pins, Startable {
  readonly #datastore: Datastore
  readonly #blocks: Blocks
  readonly #table: PinTable
  readonly #graph: Graph
  readonly #notes: ProgressNotes
  readonly #fetches: Fetches
  readonly #barrier: WriteBarrier
  readonly #locks = new KeyedLock()
  /** The store, which is synced before a pin is: one that is durable speaks of blocks that are. */
  readonly #store: FastBlocks
  readonly #parts: { readonly blocks: Blocks; readonly dag: Dag }

  /** @param hasPeers - whether blocks that are not here may come from peers */
  constructor(
    datastore: Datastore,
    blockstore: Blockstore,
    blocks: Blocks,
    dag: Dag,
    barrier: WriteBarrier,
    sources?: Pick<BlockSources, 'size'>
  ) {
    this.#store = fastBlocks(blockstore)
    this.#parts = { blocks, dag }
    this.#datastore = datastore
    this.#blocks = blocks
    this.#table = new PinTable(datastore)
    this.#graph = new Graph(blocks, dag, barrier)
    this.#notes = new ProgressNotes(datastore)
    this.#fetches = new Fetches(this.#graph, this.#notes, () => this.#store.sync(), barrier, sources)
    this.#barrier = barrier
  }

  /** @throws E_PINS_FORMAT */
  async start(): Promise<void> {
    await preparePins(this.#datastore, this.#blocks, {
      add: cid => this.addWritten(cid),
      lacks: async cid =>
        (await this.#table.get('recursive', idOf(cid))) !== undefined && !(await this.#store.hasMultihash(cid.multihash.bytes))
    })
  }

  stop(): Promise<void> {
    return this.#fetches.stop()
  }

  add(cid: CID, { recursive = true, name = '', ...options }: PinOptions & { recursive?: boolean } = {}): Promise<void> {
    const add = recursive
      ? () => this.#addRecursive(cid, name, options)
      : (lease: Lease) => this.#addDirect(cid, name, { ...options, lease })
    return this.#announced([cid], recursive, add)
  }

  async #addRecursive(cid: CID, name: string, options: PinOptions): Promise<void> {
    const id = idOf(cid)
    const before = await this.#table.get('recursive', id)
    let isNoted: boolean
    try {
      isNoted = await this.#fetches.fetch(cid, options)
    } catch (error) {
      if (before !== undefined && hasCode(error, 'E_BLOCK_NOT_FOUND')) await this.#end(before)
      throw error
    }
    await this.#putRecursive(cid, name, isNoted, options.unlessPinned)
  }

  addWritten(cid: CID, { name = '' }: PinOptions = {}): Promise<void> {
    return this.#announced([cid], true, () => this.#putRecursive(cid, name, false))
  }

  async remove(cid: CID, { recursive = true, name }: { recursive?: boolean; name?: string } = {}): Promise<void> {
    const id = idOf(cid)
    await this.#locks.run(id, async () => {
      const { recursive: whole, direct } = await this.#both(id)
      if (whole !== undefined && !recursive) throw pinErrors.E_PIN_IS_RECURSIVE(whole.text)
      if (name !== undefined && whole?.name !== name) throw pinErrors.E_NOT_PINNED()
      const remove = [whole, direct].filter(record => record !== undefined)
      if (remove.length === 0) throw pinErrors.E_NOT_PINNED()
      await this.#table.change({ remove })
    })
  }

  update(from: CID, to: CID, options: BlockOptions & { unpin?: boolean } = {}): Promise<void> {
    // What only the old graph is looked up in has to stay as well until the new one stands for it.
    return this.#announced([to, from], true, lease => this.#update(from, to, { ...options, lease }))
  }

  async #update(from: CID, to: CID, { unpin = true, signal, offline, lease }: BlockOptions & { unpin?: boolean }): Promise<void> {
    const ids = [idOf(from), idOf(to)] as const
    const [before, target] = await Promise.all([this.#table.get('recursive', ids[0]), this.#table.get('recursive', ids[1])])
    if (before === undefined) throw pinErrors.E_PIN_FROM()
    if (ids[0] === ids[1]) return
    if (target !== undefined) throw pinErrors.E_PIN_TO()
    await fetchDifference(from, to, this.#graph.fetching({ offline, lease }), signal)
    await this.#settled(to, true)
    await this.#locks.run(ids, async () => {
      const [old, already] = await Promise.all([this.#both(ids[0]), this.#both(ids[1])])
      if (old.recursive === undefined) throw pinErrors.E_PIN_FROM()
      if (already.recursive !== undefined) throw pinErrors.E_PIN_TO()
      const put = [new PinRecord('recursive', to, old.recursive.name)]
      if (already.direct !== undefined) put.push(already.direct.beside(true))
      if (unpin && old.direct !== undefined) put.push(old.direct.beside(false))
      await this.#table.change({ put, remove: unpin ? [old.recursive] : [] })
    })
  }

  async get(cid: CID): Promise<Pin | undefined> {
    const id = idOf(cid)
    return (await this.#table.get('recursive', id)) ?? (await this.#table.get('direct', id))
  }

  list({ mode, signal }: BlockOptions & { mode?: PinMode } = {}): PinList {
    if (mode !== undefined) return this.#table.list(mode, { signal })
    const recursive = this.#table.atHand('recursive')
    const direct = this.#table.atHand('direct')
    if (recursive === undefined || direct === undefined) return this.#listAll(signal)
    return eachOf(direct.length === 0 ? recursive : [...recursive, ...direct.filter(({ shadowed }) => !shadowed)])
  }

  async *#listAll(signal: AbortSignal | undefined): AsyncGenerator<Pin> {
    yield* this.#table.list('recursive', { signal })
    for await (const pin of this.#table.list('direct', { signal })) if (!pin.shadowed) yield pin
  }

  async *indirect(options: BlockOptions = {}): AsyncGenerator<CID> {
    for await (const cid of reached(this.#table, this.#graph, options)) {
      const id = idOf(cid)
      const pinned = this.#table.known('recursive', id) ?? this.#table.known('direct', id)
      if (pinned === 'unknown' ? (await this.get(cid)) === undefined : pinned === undefined) yield cid
    }
  }

  async why(cids: readonly CID[], { mode, ...options }: BlockOptions & { mode?: Pinned['mode'] } = {}): Promise<Map<string, Pinned>> {
    const answers = new Map<string, Pinned>()
    const open = new Map<string, CID>()
    for (const cid of cids) {
      const id = idOf(cid)
      const pin =
        (mode === undefined || mode === 'recursive' ? await this.#table.get('recursive', id) : undefined) ??
        (mode === undefined || mode === 'direct' ? await this.#table.get('direct', id) : undefined)
      if (pin !== undefined) answers.set(cid.toString(), pin)
      else if (mode === undefined || mode === 'indirect') open.set(id, cid)
    }
    if (open.size === 0) return answers
    const roots = await findRoots(new Set(open.keys()), this.#table, this.#graph, options)
    for (const [id, root] of roots) answers.set(String(open.get(id)), { mode: 'indirect', name: '', through: root.cid })
    return answers
  }

  forgetProgress(): Promise<void> {
    return this.#notes.forgetAll()
  }

  async #addDirect(cid: CID, name: string, options: BlockOptions): Promise<void> {
    // Read as the node it is, though nothing below it is kept: so does Kubo 0.28, core/coreapi/pin.go.
    await this.#graph.fetching(options)(cid, options)
    await this.#settled(cid, false)
    const id = idOf(cid)
    await this.#locks.run(id, async () => {
      const { recursive } = await this.#both(id)
      if (recursive !== undefined) throw pinErrors.E_PIN_RECURSIVE(recursive.text)
      await this.#table.change({ put: [new PinRecord('direct', cid, name)] })
    })
  }

  /**
   * Resolves when no pin that is written from here on can outlive a block of its graph.
   *
   * @throws E_PIN_LOST where the disk has lost one of them
   */
  async #settled(root: CID, isRecursive: boolean): Promise<void> {
    if (this.#store.precedes?.(this.#datastore) !== true) await this.#store.sync({ looksAtLost: true })
    const lost = this.#store.lost?.() ?? []
    if (lost.length === 0) return
    const needed = isRecursive ? await lostBelow([root], lost, this.#parts) : lost.find(one => equals(one, root.multihash.bytes)) && root
    if (needed !== undefined) throw pinErrors.E_PIN_LOST(needed.toString())
  }

  async #putRecursive(cid: CID, name: string, isNoted: boolean, unlessPinned = false): Promise<void> {
    await this.#settled(cid, true)
    const id = idOf(cid)
    await this.#locks.run(id, async () => {
      const { recursive, direct } = await this.#both(id)
      const forget = isNoted ? [this.#notes.keyOf(cid)] : []
      if (unlessPinned && recursive !== undefined) return this.#table.change({ forget })
      const remove = direct === undefined ? [] : [direct]
      await this.#table.change({ put: [new PinRecord('recursive', cid, name)], remove, forget })
    })
  }

  /** Whatever becomes a pin passes here: what there is of its graph stays from before it is looked at until its record is written. */
  async #announced(cids: readonly CID[], recursive: boolean, work: (lease: Lease) => Promise<void>): Promise<void> {
    const leases: Lease[] = []
    try {
      for (const cid of cids) leases.push(await this.#barrier.announce({ cid, recursive, bestEffort: true }))
      await work(leases[0]!)
    } finally {
      for (const lease of leases) lease.release()
    }
  }

  /** The end of a recursive pin whose promise was found untrue: Kubo 0.28 ends such a pin as well. A direct one beside it stays. */
  async #end({ id }: PinRecord): Promise<void> {
    await this.#locks.run(id, async () => {
      const { recursive, direct } = await this.#both(id)
      if (recursive === undefined) return
      await this.#table.change({ remove: [recursive], put: direct === undefined ? [] : [direct.beside(false)] })
    })
  }

  async #both(id: string): Promise<{ recursive: PinRecord | undefined; direct: PinRecord | undefined }> {
    const [recursive, direct] = await Promise.all([this.#table.get('recursive', id), this.#table.get('direct', id)])
    return { recursive, direct }
  }
}
