import type { CID } from 'multiformats/cid'
import type { BlockOptions, Lease } from '../../services/blocks.ts'
import type { AheadReader, ReadAhead } from '../../services/read-ahead.ts'
import { Turns } from '../../turns.ts'
import type { Branch, ChildSource, Found, Measured, Reached, WalkLimits } from './branch.ts'
import { type Frame, Frames, type Slot } from './frames.ts'

/** Branches from the innermost outwards that keep what they loaded ahead: those further out load it again when their turn comes. */
const NEAR = 64

/** The size that a block is expected to have while none was seen, in bytes: those that `add` makes have as many. */
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
export class TreeWalk<B extends Branch, T extends Measured = Uint8Array> implements AheadReader {
  readonly #source: ChildSource<T>
  readonly #budget: ReadAhead | undefined
  readonly #offline: boolean | undefined
  readonly #outer: AbortSignal | undefined
  readonly #most: Required<Omit<WalkLimits, 'budget'>>
  readonly #stack: Frames<B, T>
  readonly #turns = new Turns()
  #inner: AbortController | undefined
  #options: BlockOptions | undefined
  /** Loads under way. */
  #waiting = 0
  /** Of the children that were asked for and not taken, those that count. */
  #counting = 0
  /** Of these, those that are here. */
  #arrived = 0
  /** Their lengths together. */
  #ready = 0
  #usual: number
  #window: number
  #lease: Lease | undefined
  #isClosed = false
  /** Bytes that will still be wanted, where that is known: nothing is loaded ahead beyond them. */
  wanted = Number.POSITIVE_INFINITY

  constructor(source: ChildSource<T>, { signal, offline }: BlockOptions = {}, { budget, ...limits }: WalkLimits = {}) {
    this.#source = source
    this.#budget = budget
    this.#outer = signal
    this.#offline = offline
    this.#most = { ahead: 32, aheadAtFirst: 2, aheadBytes: 8 << 20, leastAhead: 0, usual: 0, held: 128 << 20, ...limits }
    this.#usual = this.#most.usual
    this.#window = this.#most.aheadAtFirst
    this.#stack = new Frames(this.#most.held, budget?.nodes, { drop: frame => this.#dropOf(frame) })
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
    this.#stack.push(branch, from)
    const far = this.#stack.above(NEAR)
    if (far !== undefined) this.#dropOf(far)
  }

  /**
   * Keeps what there is of the graph of `root` from collections until the walk is closed, which has to be certain then.
   *
   * @returns a promise where there is something to wait for before the first child is taken
   */
  hold(root: CID): Promise<void> | undefined {
    const lease = this.#source.reading?.(root)
    if (lease instanceof Promise) return lease.then(late => this.#keep(late))
    if (lease !== undefined) this.#keep(lease)
    return undefined
  }

  #keep(lease: Lease): void {
    if (this.#isClosed) lease.release()
    else this.#lease = lease
  }

  /** The branch whose child comes next. */
  get branch(): B | undefined {
    return this.#stack.top?.branch
  }

  /** The child that {@link take} comes to next, where it was asked for already: the one that an error of it is about. */
  get next(): Reached<B, T> | undefined {
    return this.#stack.top?.slots[0]
  }

  /**
   * The next child, or undefined: then it is not loaded yet or it is others' turn (see {@link wait}), or there is none left (see {@link done}).
   *
   * @throws whatever loading its block has thrown
   */
  take(): Reached<B, T> | undefined {
    const stack = this.#stack
    const frame = stack.top
    if (frame === undefined) return undefined
    if (this.#budget !== undefined) stack.askedAt = performance.now()
    this.#outer?.throwIfAborted()
    stack.isBusy = true
    if (this.#turns.due) return undefined
    if (!frame.isOpen) {
      this.#reopen(frame)
      return undefined
    }
    this.#fill(frame)
    const slot = frame.slots[0]
    if (slot === undefined || slot.settled !== undefined) return undefined
    if (slot.error !== undefined) throw slot.error
    frame.slots.shift()
    stack.isBusy = false
    this.#leaves(slot)
    if (this.#window < this.#most.ahead) this.#window *= 2
    if (frame.slots.length === 0 && frame.asked === frame.branch.length) stack.pop()
    return slot
  }

  /** Has {@link take} come without a block to the child that it threw an error about. */
  skip(): void {
    const slot = this.#stack.top?.slots[0]
    if (slot !== undefined) slot.error = undefined
  }

  /** Resolves when there is something to {@link take}. Never rejects. */
  async wait(): Promise<void> {
    if (this.#turns.due) await this.#turns.take()
    else await (this.#stack.top?.opening ?? this.#stack.top?.slots[0]?.settled)
  }

  /** Gives up on what was asked for ahead, and on what is held. */
  close(): void {
    this.#isClosed = true
    this.#lease?.release()
    this.#drop()
    this.#stack.clear()
    this.#outer?.removeEventListener('abort', this.#leave)
    if (this.#waiting > 0) this.#inner?.abort()
  }

  /** Drops what was asked for ahead, to be asked for anew, a little at first, when somebody goes on. */
  giveBack(): void {
    if (this.#stack.isBusy) return
    this.#drop()
    this.#window = this.#most.aheadAtFirst
  }

  #drop(): void {
    for (const frame of this.#stack) this.#dropOf(frame)
    this.#budget?.release(this)
  }

  #dropOf(frame: Frame<B, T>): void {
    if (frame.slots.length === 0) return
    frame.asked = frame.slots[0]!.index
    for (const slot of frame.slots) {
      this.#leaves(slot)
      slot.isDropped = true
    }
    frame.slots = []
  }

  /** Loads the node of a branch that was closed. @throws what loading it has thrown before */
  #reopen(frame: Frame<B, T>): void {
    if (frame.error !== undefined) throw frame.error
    frame.opening ??= this.#opened(frame)
  }

  async #opened(frame: Frame<B, T>): Promise<void> {
    const { branch } = frame
    this.#options ??= this.#blockOptions()
    this.#waiting++
    try {
      const block: Measured = await this.#source.get(branch.block!, { ...this.#options, transient: true })
      branch.reopen!(block as Uint8Array)
      if (!this.#isClosed) this.#stack.opened(frame)
    } catch (error) {
      frame.error = error ?? new Error('the block could not be read')
    }
    this.#waiting--
    frame.opening = undefined
  }

  /** A child that was asked for counts no longer. */
  #leaves(slot: Slot<B, T>): void {
    this.#ready -= slot.loaded?.length ?? 0
    if (slot.counts) {
      this.#counting--
      if (slot.settled === undefined) this.#arrived--
    }
    if (slot.counted > 0) this.#budget?.release(this, slot.counted)
  }

  /** Asks in bursts, once half of what may be asked for was taken: a store answers many at a time with less work. */
  #fill(frame: Frame<B, T>): void {
    const { branch, slots } = frame
    if (slots.length > this.#window / 2) return
    let weight = 0
    if (this.wanted !== Number.POSITIVE_INFINITY) for (const slot of slots) weight += branch.weight?.(slot.index) ?? 0
    const asked: Slot<B, T>[] = []
    const end = branch.known ?? branch.length
    while (frame.asked < end && (slots.length === 0 || (this.#mayAsk(slots.length, asked.length) && weight < this.wanted))) {
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
      this.#budget.take(this, asked.length * this.#expected)
    }
    this.#options ??= this.#blockOptions()
    const options = this.#budget?.isCrowded ? { ...this.#options, transient: true } : this.#options
    if (asked.length > 1 && this.#source.readAll !== undefined) this.#loadAll(asked, options)
    else for (const slot of asked) this.#load(slot, options)
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

  #found(slot: Slot<B, T>, block: Found<T>, options: BlockOptions): void {
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
