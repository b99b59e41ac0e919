import type { CID } from 'multiformats/cid'
import { unixfsErrors } from '../../errors/unixfs-export.ts'
import type { BlockOptions, Blocks } from '../../services/blocks.ts'
import type { FoundBlock } from '../../services/blockstore.ts'
import type { AheadReader, ReadAhead } from '../../services/read-ahead.ts'
import { Turns } from '../../turns.ts'

/** The narrowest thing blocks can be read from. */
export interface BlockSource {
  get(cid: CID, options?: BlockOptions): Promise<Uint8Array> | Uint8Array
  /** See {@link Blocks.readAll}. */
  readAll?: Blocks['readAll']
}

/** A node whose children are visited in order. */
export interface Branch {
  readonly length: number
  /** The block behind a child; undefined where nothing has to be loaded for it. */
  load(index: number): CID | undefined
  /** Bytes the child is expected to hold, where that is known: how far to read ahead for a range. */
  weight?(index: number): number
  /** Memory that is kept as long as the branch is, in bytes. */
  readonly held: number
}

/** A child that was reached. `bytes` is its block, if it has one. */
export interface Reached<B extends Branch> {
  readonly branch: B
  readonly index: number
  readonly cid: CID | undefined
  readonly bytes: Uint8Array | undefined
}

export interface WalkLimits {
  /** Blocks asked for ahead of the one that is looked at. Default 32. */
  ahead?: number
  /** The same at the start, from where it grows. Default 2: whoever leaves early has loaded little. */
  aheadAtFirst?: number
  /** Bytes of blocks that were loaded ahead. Default 8 MiB. */
  aheadBytes?: number
  /** Bytes of blocks whose children are not all visited yet. Default 128 MiB. */
  held?: number
  /** What all walks share. Default: this one has none but its own limits. */
  budget?: ReadAhead | undefined
}

interface Slot<B extends Branch> {
  readonly branch: B
  readonly index: number
  readonly cid: CID | undefined
  bytes: Uint8Array | undefined
  error: unknown
  settled: Promise<void> | undefined
  /** Bytes that the budget counts for it: what was expected of it, then what it has. */
  counted: number
  /** Given back while it was loading. */
  isDropped: boolean
}

interface Frame<B extends Branch> {
  readonly branch: B
  /** The first child that was not asked for yet. */
  asked: number
  readonly slots: Slot<B>[]
}

/** What a frame costs beside its block, in bytes. */
const FRAME = 512

/** What a block is expected to have while none was seen, in bytes: those that `add` makes have as many. */
const EXPECTED = 256 << 10

/**
 * Walks a tree of blocks depth first, children in order, while the blocks that come next are loaded ahead. It never goes down by
 * itself: whoever takes a child says with {@link enter} that the children of that one come next. A branch is dropped when its last
 * child is taken, so a chain of any length needs no more memory than one of its nodes.
 *
 * ```ts
 * while (!walk.done) {
 *   const child = walk.take()
 *   if (child === undefined) await walk.wait()
 *   else …
 * }
 * ```
 */
export class TreeWalk<B extends Branch> implements AheadReader {
  readonly #source: BlockSource
  readonly #budget: ReadAhead | undefined
  readonly #offline: boolean | undefined
  readonly #outer: AbortSignal | undefined
  readonly #most: Required<Omit<WalkLimits, 'budget'>>
  readonly #stack: Frame<B>[] = []
  readonly #turns = new Turns()
  #inner: AbortController | undefined
  #options: BlockOptions | undefined
  #held = 0
  #waiting = 0
  #ready = 0
  #usual = 0
  #window: number
  /** Whether somebody asks for the next child, or waits for it. */
  #isBusy = false
  /** Bytes that will still be wanted, where that is known: nothing is loaded ahead beyond them. */
  wanted = Number.POSITIVE_INFINITY

  constructor(source: BlockSource, { signal, offline }: BlockOptions = {}, { budget, ...limits }: WalkLimits = {}) {
    this.#source = source
    this.#budget = budget
    this.#outer = signal
    this.#offline = offline
    this.#most = { ahead: 32, aheadAtFirst: 2, aheadBytes: 8 << 20, held: 128 << 20, ...limits }
    this.#window = this.#most.aheadAtFirst
  }

  /** Whether everything was taken. */
  get done(): boolean {
    return this.#stack.length === 0
  }

  /**
   * The children of `branch`, from number `from` on, come next.
   *
   * @throws E_UNIXFS_TOO_DEEP when the branches that are not finished need more memory than allowed
   */
  enter(branch: B, from = 0): void {
    if (from >= branch.length) return
    this.#held += branch.held + FRAME
    if (this.#held > this.#most.held) throw unixfsErrors.E_UNIXFS_TOO_DEEP(this.#most.held)
    this.#stack.push({ branch, asked: from, slots: [] })
  }

  /** The child that {@link take} comes to next, where it was asked for already: the one that an error of it is about. */
  get next(): Reached<B> | undefined {
    return this.#stack.at(-1)?.slots[0]
  }

  /**
   * The next child, or undefined: then it is not loaded yet or it is others' turn (see {@link wait}), or there is none left (see {@link done}).
   *
   * @throws whatever loading its block has thrown
   */
  take(): Reached<B> | undefined {
    const frame = this.#stack.at(-1)
    if (frame === undefined) return undefined
    this.#outer?.throwIfAborted()
    this.#isBusy = true
    if (this.#turns.due) return undefined
    this.#fill(frame)
    const slot = frame.slots[0]!
    if (slot.settled !== undefined) return undefined
    if (slot.error !== undefined) throw slot.error
    frame.slots.shift()
    this.#isBusy = false
    this.#ready -= slot.bytes?.length ?? 0
    if (slot.counted > 0) this.#budget?.release(this, slot.counted)
    if (this.#window < this.#most.ahead) this.#window *= 2
    if (frame.slots.length === 0 && frame.asked === frame.branch.length) {
      this.#stack.pop()
      this.#held -= frame.branch.held + FRAME
    }
    return slot
  }

  /** Resolves when there is something to {@link take}. Never rejects. */
  async wait(): Promise<void> {
    if (this.#turns.due) await this.#turns.take()
    else await this.#stack.at(-1)?.slots[0]?.settled
  }

  /** Gives up on what was asked for ahead. */
  close(): void {
    this.#drop()
    this.#stack.length = 0
    this.#outer?.removeEventListener('abort', this.#leave)
    if (this.#waiting > 0) this.#inner?.abort()
  }

  /** Drops what was asked for ahead, to be asked for anew, a little at first, when somebody goes on. */
  giveBack(): void {
    if (this.#isBusy) return
    this.#drop()
    this.#window = this.#most.aheadAtFirst
  }

  #drop(): void {
    for (const frame of this.#stack) {
      frame.asked = frame.slots[0]?.index ?? frame.asked
      for (const slot of frame.slots) slot.isDropped = true
      frame.slots.length = 0
    }
    this.#ready = 0
    this.#budget?.release(this)
  }

  /** Asks in bursts, once half of what may be asked for was taken: a store answers many at a time with less work. */
  #fill(frame: Frame<B>): void {
    const { branch, slots } = frame
    if (slots.length > this.#window / 2) return
    let weight = 0
    if (this.wanted !== Number.POSITIVE_INFINITY) for (const slot of slots) weight += branch.weight?.(slot.index) ?? 0
    const asked: Slot<B>[] = []
    while (frame.asked < branch.length && (slots.length === 0 || (this.#mayAsk(slots.length, asked.length) && weight < this.wanted))) {
      const index = frame.asked++
      const cid = branch.load(index)
      const slot = { branch, index, cid, bytes: undefined, error: undefined, settled: undefined, counted: 0, isDropped: false }
      slots.push(slot)
      if (cid !== undefined) asked.push(slot)
      weight += branch.weight?.(index) ?? 0
    }
    if (asked.length === 0) return
    if (this.#budget !== undefined) {
      for (const slot of asked) slot.counted = this.#expected
      this.#budget.take(this, asked.length * this.#expected)
    }
    this.#options ??= this.#blockOptions()
    const options = this.#budget?.isCrowded ? { ...this.#options, transient: true } : this.#options
    if (asked.length > 1 && this.#source.readAll !== undefined) this.#loadAll(asked, options)
    else for (const slot of asked) this.#load(slot, options)
  }

  #mayAsk(open: number, asked: number): boolean {
    if (open >= this.#window || this.#ready + (this.#waiting + asked) * this.#usual >= this.#most.aheadBytes) return false
    return this.#budget === undefined || this.#budget.room((asked + 1) * this.#expected)
  }

  get #expected(): number {
    return this.#usual || EXPECTED
  }

  #loadAll(slots: readonly Slot<B>[], options: BlockOptions): void {
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

  #found(slot: Slot<B>, block: FoundBlock, options: BlockOptions): void {
    if (block instanceof Uint8Array) this.#settle(slot, block)
    else if (block === undefined) this.#load(slot, options)
    else this.#await(slot, block, options)
  }

  #load(slot: Slot<B>, options: BlockOptions): void {
    if (slot.isDropped) return
    try {
      const block = this.#source.get(slot.cid!, options)
      if (block instanceof Uint8Array) this.#settle(slot, block)
      else this.#await(slot, block, options)
    } catch (error) {
      this.#fail(slot, error)
    }
  }

  #await(slot: Slot<B>, block: Promise<Uint8Array | undefined>, options: BlockOptions): void {
    this.#waiting++
    slot.settled = block.then(
      bytes => {
        this.#waiting--
        if (bytes === undefined) this.#load(slot, options)
        else this.#settle(slot, bytes)
      },
      error => {
        this.#waiting--
        this.#fail(slot, error)
      }
    )
  }

  #fail(slot: Slot<B>, error: unknown): void {
    slot.settled = undefined
    this.#count(slot, 0)
    slot.error = error ?? new Error('the block could not be read')
  }

  #settle(slot: Slot<B>, bytes: Uint8Array): void {
    slot.settled = undefined
    if (slot.isDropped) return
    slot.bytes = bytes
    this.#count(slot, bytes.length)
    this.#ready += bytes.length
    this.#usual = Math.max(bytes.length, this.#usual >> 1)
  }

  #count(slot: Slot<B>, bytes: number): void {
    if (this.#budget === undefined || slot.isDropped || slot.counted === bytes) return
    if (bytes < slot.counted) this.#budget.release(this, slot.counted - bytes)
    else this.#budget.take(this, bytes - slot.counted)
    slot.counted = bytes
  }

  #blockOptions(): BlockOptions {
    this.#inner = new AbortController()
    this.#outer?.addEventListener('abort', this.#leave, { once: true })
    return { signal: this.#inner.signal, offline: this.#offline }
  }

  readonly #leave = (): void => this.#inner?.abort(this.#outer!.reason)
}
