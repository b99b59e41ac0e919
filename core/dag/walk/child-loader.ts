import type { CID } from 'multiformats/cid'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import type { AheadReader, ReadAhead } from '../../services/storage/read-ahead.ts'
import type { Branch, ChildSource, FoundChild, Measured, WalkLimits } from './branch.ts'

/** A child that was asked for. */
interface Slot<B extends Branch, T> {
  readonly branch: B
  readonly index: number
  readonly cid: CID | undefined
  /** Whether it counts among what is loaded ahead: it is loaded, and not known to be empty. */
  readonly counts: boolean
  loaded: T | undefined
  error: unknown
  settled: Promise<void> | undefined
  /** Bytes that the budget counts for it: what was expected of it, then what it has. */
  counted: number
  /** Whether it was given back while it was loading. */
  isDropped: boolean
}

/** A branch whose children are not all taken, as far as they are loaded. */
export interface Loading<B extends Branch, T> {
  readonly branch: B
  /** The first child that was not asked for yet. */
  asked: number
  slots: Slot<B, T>[]
}

/** The size that a block is expected to have while none was seen, in bytes: those that `add` makes have as many. */
const EXPECTED = 256 << 10

/** Loads children of branches ahead of a walk, as many as its limits and the budget that all readers share let it. */
export class ChildLoader<B extends Branch, T extends Measured> {
  readonly #source: ChildSource<T>
  readonly #reader: AheadReader
  readonly #budget: ReadAhead | undefined
  readonly #offline: boolean | undefined
  readonly #outer: AbortSignal | undefined
  readonly #most: Required<Omit<WalkLimits, 'budget' | 'held'>>
  #inner: AbortController | undefined
  #options: BlockOptions | undefined
  /** Loads under way. */
  #waiting = 0
  /** How many children that were asked for and not taken count. */
  #counting = 0
  /** How many of these are here. */
  #arrived = 0
  /** The lengths of those that are here, together. */
  #ready = 0
  #usual: number
  #window: number

  /** @param reader - what the budget asks to give back what was loaded ahead */
  constructor(source: ChildSource<T>, reader: AheadReader, { signal, offline }: BlockOptions, { budget, ...limits }: WalkLimits) {
    this.#source = source
    this.#reader = reader
    this.#budget = budget
    this.#outer = signal
    this.#offline = offline
    this.#most = { ahead: 32, aheadAtFirst: 2, aheadBytes: 8 << 20, leastAhead: 0, usual: 0, ...limits }
    this.#usual = this.#most.usual
    this.#window = this.#most.aheadAtFirst
  }

  /** Doubles how many children are asked for at a time, up to the most. */
  widen(): void {
    if (this.#window < this.#most.ahead) this.#window *= 2
  }

  /** Has children be asked for a few at a time, as at first. */
  narrow(): void {
    this.#window = this.#most.aheadAtFirst
  }

  /** Drops what was asked for of a branch. */
  drop(frame: Loading<B, T>): void {
    if (frame.slots.length === 0) return
    frame.asked = frame.slots[0]!.index
    for (const slot of frame.slots) {
      this.forget(slot)
      slot.isDropped = true
    }
    frame.slots = []
  }

  /** Gives back to the budget all that this walk has of it. */
  release(): void {
    this.#budget?.release(this.#reader)
  }

  /** Gives up on loads under way. */
  close(): void {
    this.#outer?.removeEventListener('abort', this.#leave)
    if (this.#waiting > 0) this.#inner?.abort()
  }

  /** Has a child that was asked for count no longer. */
  forget(slot: Slot<B, T>): void {
    this.#ready -= slot.loaded?.length ?? 0
    if (slot.counts) {
      this.#counting--
      if (slot.settled === undefined) this.#arrived--
    }
    if (slot.counted > 0) this.#budget?.release(this.#reader, slot.counted)
  }

  /** Asks in bursts, once half of what may be asked for was taken: a store answers many at a time with less work. */
  fill(frame: Loading<B, T>, wanted: number): void {
    const { branch, slots } = frame
    if (slots.length > this.#window / 2) return
    let weight = 0
    if (wanted !== Number.POSITIVE_INFINITY) for (const slot of slots) weight += branch.weight?.(slot.index) ?? 0
    const asked: Slot<B, T>[] = []
    const end = branch.known ?? branch.length
    while (frame.asked < end && (slots.length === 0 || (this.#mayAsk(slots.length, asked.length) && weight < wanted))) {
      const cid = branch.load(frame.asked)
      const counts = cid !== undefined && this.#source.isEmpty?.(cid) !== true
      if (counts && slots.length > 0 && this.#isFull) break
      const index = frame.asked++
      const slot = { branch, index, cid, counts, loaded: undefined, error: undefined, settled: undefined, counted: 0, isDropped: false }
      slots.push(slot)
      if (counts) this.#counting++
      if (cid !== undefined) asked.push(slot)
      weight += branch.weight?.(index) ?? 0
    }
    if (asked.length === 0) return
    if (this.#budget !== undefined) {
      for (const slot of asked) slot.counted = this.#expected
      this.#budget.take(this.#reader, asked.length * this.#expected)
    }
    this.#options ??= this.#blockOptions()
    const options = this.#budget?.isCrowded ? { ...this.#options, transient: true } : this.#options
    if (asked.length > 1 && this.#source.readAll !== undefined) this.#loadAll(asked, options)
    else for (const slot of asked) this.#load(slot, options)
  }

  /** Loads a block that was let go. */
  async again(cid: CID): Promise<T> {
    this.#options ??= this.#blockOptions()
    this.#waiting++
    try {
      return await this.#source.get(cid, { ...this.#options, transient: true })
    } finally {
      this.#waiting--
    }
  }

  #mayAsk(open: number, asked: number): boolean {
    return open < this.#window && (this.#budget === undefined || this.#budget.room((asked + 1) * this.#expected))
  }

  /** Whether so much was loaded ahead, or is on its way, that no more may be. */
  get #isFull(): boolean {
    if (this.#counting < this.#most.leastAhead) return false
    return this.#ready + (this.#counting - this.#arrived) * this.#usual >= this.#most.aheadBytes
  }

  get #expected(): number {
    return this.#usual || EXPECTED
  }

  #loadAll(slots: readonly Slot<B, T>[], options: BlockOptions): void {
    const found = this.#source.readAll!(
      slots.map(slot => slot.cid!),
      options
    )
    this.#waiting += slots.length
    const settled = found.then(
      blocks => {
        this.#waiting -= slots.length
        for (const [i, slot] of slots.entries()) this.#found(slot, blocks[i], options)
      },
      error => {
        this.#waiting -= slots.length
        for (const slot of slots) this.#fail(slot, error)
      }
    )
    for (const slot of slots) slot.settled = settled
  }

  #found(slot: Slot<B, T>, block: FoundChild<T>, options: BlockOptions): void {
    if (block === undefined) this.#load(slot, options)
    else if (block instanceof Promise) this.#await(slot, block, options)
    else this.#settle(slot, block)
  }

  #load(slot: Slot<B, T>, options: BlockOptions): void {
    if (slot.isDropped) return
    try {
      const block = this.#source.get(slot.cid!, options)
      if (block instanceof Promise) this.#await(slot, block, options)
      else this.#settle(slot, block)
    } catch (error) {
      this.#fail(slot, error)
    }
  }

  #await(slot: Slot<B, T>, block: Promise<T | undefined>, options: BlockOptions): void {
    this.#waiting++
    slot.settled = block.then(
      loaded => {
        this.#waiting--
        if (loaded === undefined) this.#load(slot, options)
        else this.#settle(slot, loaded)
      },
      error => {
        this.#waiting--
        this.#fail(slot, error)
      }
    )
  }

  #fail(slot: Slot<B, T>, error: unknown): void {
    slot.settled = undefined
    if (slot.counts && !slot.isDropped) this.#arrived++
    this.#count(slot, 0)
    slot.error = error ?? new Error('the block could not be read')
  }

  #settle(slot: Slot<B, T>, loaded: T): void {
    slot.settled = undefined
    if (slot.isDropped) return
    const { length } = loaded
    slot.loaded = loaded
    if (slot.counts) this.#arrived++
    this.#count(slot, length)
    this.#ready += length
    if (length > 0) this.#usual = Math.max(length, this.#usual >> 1)
  }

  #count(slot: Slot<B, T>, bytes: number): void {
    if (this.#budget === undefined || slot.isDropped || slot.counted === bytes) return
    if (bytes < slot.counted) this.#budget.release(this.#reader, slot.counted - bytes)
    else this.#budget.take(this.#reader, bytes - slot.counted)
    slot.counted = bytes
  }

  #blockOptions(): BlockOptions {
    this.#inner = new AbortController()
    this.#outer?.addEventListener('abort', this.#leave, { once: true })
    return { signal: this.#inner.signal, offline: this.#offline }
  }

  readonly #leave = (): void => this.#inner?.abort(this.#outer!.reason)
}
