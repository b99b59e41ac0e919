import { Key } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import { CID as Cid } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import { fastBlocks } from '../../../core/blocks/fast.ts'
import { storedAndReferred } from '../../../core/blocks/referring.ts'
import { RAW } from '../../../core/cid/codes.ts'
import {
  type BlockOptions,
  Blocks,
  Blockstore,
  type Collected,
  type Collector,
  type Counter,
  commonErrors,
  Dag,
  type Datastore,
  type FastBlocks,
  type Host,
  type Lease,
  type Logger,
  Metrics,
  type Missing,
  messageOf,
  Pins,
  type References,
  type Removal,
  Repo,
  type RepoLocation,
  type RootSource,
  type Startable,
  UNSURE_PINS,
  WriteBarrier
} from '../../../core/index.ts'
import { repoSize } from '../../../core/repo/size.ts'
import { pinErrors } from '../errors.ts'
import { PinSettings } from '../settings.ts'
import { Keepers, PINS } from './keepers.ts'
import { Marking } from './marking.ts'
import { collectPeriodically, type Limits, limitsOf } from './periodic.ts'
import { ReadingQueue } from './queue.ts'

/** Blocks that are removed at a time: those who store wait for so many at most. */
const BATCH = 256
/** Nodes that wait to be read before more roots are taken. */
const AHEAD = 1024

interface CollectorParts {
  readonly blocks: Blocks
  readonly blockstore: Blockstore
  readonly datastore: Datastore
  readonly dag: Dag
  readonly pins: Pins
  readonly barrier: WriteBarrier
  readonly repo: Repo | undefined
  readonly location: RepoLocation | undefined
  readonly host: Host
  readonly references: References | undefined
  readonly settings: PinSettings
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * Mark and sweep beside everything else. What others store or find meanwhile, and what they announce, the write barrier knows; before every
 * batch that is removed, it is asked.
 */
export class GarbageCollector implements Collector, Startable {
  readonly #parts: CollectorParts
  /** The store; before the start without what is referred to. */
  #store: FastBlocks
  readonly #removedBlocks: Counter
  readonly #removedBytes: Counter
  readonly #stopping = new AbortController()
  readonly #keepers: Keepers
  #limits: Limits | undefined
  #periodic: Promise<void> = Promise.resolve()
  readonly #sources = new Set<RootSource>()
  readonly #queue = new ReadingQueue()

  constructor(parts: CollectorParts) {
    this.#parts = parts
    this.#store = fastBlocks(parts.blockstore)
    this.#keepers = new Keepers(parts.datastore, parts.host)
    const { metrics } = parts
    this.#removedBlocks = metrics.counter({ name: 'collected_blocks_total', help: 'Blocks that collections removed.' })
    this.#removedBytes = metrics.counter({ name: 'collected_bytes_total', help: 'Size of the blocks that collections removed.' })
  }

  get isPeriodic(): boolean {
    return this.#parts.settings.collect === 'periodic' && this.#parts.repo !== undefined
  }

  /** @throws E_GC_SETTING, E_STORAGE_MAX */
  start(): void {
    const { blockstore, references, pins, repo, settings } = this.#parts
    this.#store = storedAndReferred(blockstore, references)
    this.addRoots({ name: PINS, roots: options => rootsOf(pins, options) })
    if (settings.collect === 'periodic' && repo !== undefined) this.#limits = limitsOf(repo)
  }

  /** By now all that keep something have added their sources. */
  async afterStart(): Promise<void> {
    const { blockstore, repo, location, log } = this.#parts
    if (!location?.readsOnly) await this.#keepers.record(this.#sources)
    const limits = this.#limits
    if (limits === undefined || repo === undefined) return
    const usage = (signal: AbortSignal) => repoSize(repo, blockstore, signal)
    this.#periodic = collectPeriodically({ collector: this, limits, usage, log }, this.#stopping.signal)
  }

  stop(): Promise<void> {
    this.#stopping.abort(commonErrors.E_CANCELLED())
    return this.#periodic
  }

  addRoots(source: RootSource): Lease {
    this.#sources.add(source)
    return { release: () => void this.#sources.delete(source) }
  }

  async *collect({ signal, forget = [] }: BlockOptions & { forget?: readonly string[] } = {}): AsyncGenerator<Collected> {
    signal?.throwIfAborted()
    if (forget.length > 0) await this.#keepers.forget(forget, this.#sources)
    yield* this.#queue.each(() => this.#collect(signal), signal)
  }

  async *#collect(signal: AbortSignal | undefined): AsyncGenerator<Collected, void> {
    signal?.throwIfAborted()
    await this.#keepers.check(this.#sources)
    const { barrier, blocks, dag, datastore, pins, log } = this.#parts
    const unsure = new Key(UNSURE_PINS)
    if (await datastore.has(unsure)) throw pinErrors.E_COLLECTION_UNSURE(Buffer.from(await datastore.get(unsure)).toString())
    const removal = barrier.removal({ sparesReads: true })
    try {
      const began = performance.now()
      const marking = new Marking(blocks, dag, { signal })
      yield* this.#mark(marking, signal)
      await pins.forgetProgress()
      const freed = { blocks: 0, bytes: 0 }
      for await (const item of this.#sweep(marking, removal, signal)) {
        if ('cid' in item) {
          freed.blocks++
          freed.bytes += item.bytes
          this.#removedBlocks.inc()
          this.#removedBytes.inc(item.bytes)
        }
        yield item
      }
      await this.#store.tidy({ signal })
      const seconds = Math.round(performance.now() - began) / 1000
      log.info({ ...freed, kept: marking.size, seconds }, 'blocks that nothing keeps were removed')
    } finally {
      removal.release()
    }
  }

  async *missing({ signal, most = Number.POSITIVE_INFINITY }: BlockOptions & { most?: number } = {}): AsyncGenerator<Missing> {
    const { blocks, dag } = this.#parts
    yield* this.#whole(new Marking(blocks, dag, { signal }), signal, most)
    await this.#keepers.check(this.#sources)
  }

  async *#mark(marking: Marking, signal: AbortSignal | undefined): AsyncGenerator<Collected> {
    const asked = [...this.#sources]
    const broken = new Set<string>()
    for await (const { source, error } of this.#whole(marking, signal)) {
      broken.add(source)
      yield { error }
    }
    if (broken.size > 0) throw pinErrors.E_COLLECTION_ABORTED([...broken])
    // one that left may not have been asked
    for (const source of asked) if (!this.#sources.has(source)) throw pinErrors.E_KEEPER_LEFT(source.name)
    await marking.loose()
  }

  /** Marks what has to be whole, source by source: what one may lack another may not. @returns what is missing */
  async *#whole(marking: Marking, signal: AbortSignal | undefined, most?: number): AsyncGenerator<Missing> {
    for (const source of this.#sources) {
      const { name } = source
      for await (const root of source.roots({ signal })) {
        marking.add(root)
        if (marking.waiting >= AHEAD) for await (const found of marking.whole(most)) yield { source: name, ...found }
        if (most !== undefined && marking.read >= most) return
      }
      for await (const found of marking.whole(most)) yield { source: name, ...found }
    }
  }

  async *#sweep(marking: Marking, removal: Removal, signal: AbortSignal | undefined): AsyncGenerator<Collected> {
    let isIncomplete = false
    let batch: Uint8Array[] = []
    const remove = async () => {
      const removed = await this.#remove(batch, marking, removal)
      batch = []
      isIncomplete ||= removed.some(item => 'error' in item)
      return removed
    }
    for await (const multihash of this.#store.listMultihashes({ signal })) {
      if (marking.has(multihash) || removal.keeps(multihash)) continue
      if (batch.push(multihash) === BATCH) yield* await remove()
    }
    if (batch.length > 0) yield* await remove()
    if (isIncomplete) throw pinErrors.E_COLLECTION_INCOMPLETE()
  }

  /** Removes those that still nothing keeps, at a moment at which nobody stores. */
  async #remove(batch: readonly Uint8Array[], marking: Marking, removal: Removal): Promise<Collected[]> {
    await marking.again(({ multihash }) => removal.keeps(multihash.bytes))
    return removal.run(
      root => {
        marking.add({ cid: root.cid, recursive: root.recursive, bestEffort: true })
        return marking.loose()
      },
      async () => {
        const garbage = batch.filter(multihash => !marking.has(multihash) && !removal.keeps(multihash))
        return garbage.length === 0 ? [] : this.#delete(garbage)
      }
    )
  }

  async #delete(garbage: readonly Uint8Array[]): Promise<Collected[]> {
    const sizes = await this.#store.deleteAll(garbage).catch(() => undefined)
    if (sizes !== undefined)
      return garbage.flatMap((multihash, i) => (sizes[i] === undefined ? [] : [{ cid: cidOf(multihash), bytes: sizes[i] }]))
    // One by one, to say which of them stay and why.
    const removed: Collected[] = []
    for (const multihash of garbage) {
      const cid = cidOf(multihash)
      try {
        for (const bytes of await this.#store.deleteAll([multihash])) if (bytes !== undefined) removed.push({ cid, bytes })
      } catch (error) {
        removed.push({ error: pinErrors.E_NOT_REMOVED(cid.toString(), messageOf(error)) })
      }
    }
    return removed
  }
}

async function* rootsOf(pins: Pins, options: { signal?: AbortSignal } | undefined) {
  for await (const { cid, mode } of pins.list(options)) yield { cid, recursive: mode === 'recursive' }
}

function cidOf(multihash: Uint8Array): CID {
  return Cid.createV1(RAW, decode(multihash))
}
