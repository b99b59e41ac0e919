import type { CID } from 'multiformats/cid'
import type { BlockOptions, Lease } from '../../services/storage/blocks.ts'
import type { AheadReader } from '../../services/storage/read-ahead.ts'
import { Turns } from '../../turns.ts'
import type { Branch, ChildSource, Measured, Reached, WalkLimits } from './branch.ts'
import { ChildLoader } from './child-loader.ts'
import { type Frame, Frames } from './frames.ts'

/** Branches from the innermost outwards that keep what they loaded ahead: those further out load it again when their turn comes. */
const NEAR = 64

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
  readonly #loader: ChildLoader<B, T>
  readonly #outer: AbortSignal | undefined
  readonly #stack: Frames<B, T>
  readonly #turns = new Turns()
  #lease: Lease | undefined
  #isClosed = false
  /** Bytes that will still be wanted, where that is known: nothing is loaded ahead beyond them. */
  wanted = Number.POSITIVE_INFINITY

  constructor(source: ChildSource<T>, options: BlockOptions = {}, { held = 128 << 20, ...limits }: WalkLimits = {}) {
    this.#source = source
    this.#outer = options.signal
    this.#loader = new ChildLoader(source, this, options, limits)
    this.#stack = new Frames(held, limits.budget?.nodes, this.#loader)
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
    if (far !== undefined) this.#loader.drop(far)
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
    this.#outer?.throwIfAborted()
    stack.asks()
    if (this.#turns.due) return undefined
    if (!frame.isOpen) {
      this.#reopen(frame)
      return undefined
    }
    this.#loader.fill(frame, this.wanted)
    const slot = frame.slots[0]
    if (slot === undefined || slot.settled !== undefined) return undefined
    if (slot.error !== undefined) throw slot.error
    frame.slots.shift()
    stack.isBusy = false
    this.#loader.forget(slot)
    this.#loader.widen()
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
    this.#loader.close()
  }

  /** Drops what was asked for ahead, to be asked for anew, a little at first, when somebody goes on. */
  giveBack(): void {
    if (this.#stack.isBusy) return
    this.#drop()
    this.#loader.narrow()
  }

  /** Loads the node of a branch that was closed. @throws what loading it has thrown before */
  #reopen(frame: Frame<B, T>): void {
    if (frame.error !== undefined) throw frame.error
    frame.opening ??= this.#opened(frame)
  }

  async #opened(frame: Frame<B, T>): Promise<void> {
    const { branch } = frame
    try {
      const block: Measured = await this.#loader.again(branch.block!)
      branch.reopen!(block as Uint8Array)
      if (!this.#isClosed) this.#stack.opened(frame)
    } catch (error) {
      frame.error = error ?? new Error('the block could not be read')
    }
    frame.opening = undefined
  }

  #drop(): void {
    for (const frame of this.#stack) this.#loader.drop(frame)
    this.#loader.release()
  }
}
