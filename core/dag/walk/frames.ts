import type { NodeKeeper, OpenNodes } from '../../services/storage/read-ahead.ts'
import { unixfsErrors } from '../../unixfs/export/errors.ts'
import type { Branch } from './branch.ts'
import type { Loading } from './child-loader.ts'

/** A branch on the way to the child that comes next. */
export interface Frame<B extends Branch, T> extends Loading<B, T> {
  /** Whether its node is in memory. */
  isOpen: boolean
  /** The load of its node, while it is under way. */
  opening: Promise<void> | undefined
  /** The error that the load threw. */
  error: unknown
}

interface NodeDropper<B extends Branch, T> {
  /** Drops what was asked for of a frame whose node is being closed. */
  drop(frame: Frame<B, T>): void
}

/** The cost of a frame beside its node, in bytes. */
const FRAME = 512

/** Bytes of nodes that one walk keeps open: beyond them, those furthest from the next child are closed. */
const OPEN = 4 << 20

/** The frames of a walk from the root inwards. Nodes far from the next child, and all of a walk that has stalled, are closed where they can be opened again. */
export class Frames<B extends Branch, T> implements NodeKeeper {
  readonly #most: number
  readonly #nodes: OpenNodes | undefined
  readonly #all: Array<Frame<B, T>> = []
  readonly #walk: NodeDropper<B, T>
  #held = 0
  #open = 0
  /** The first frame that may be closed: those above it are, or cannot be. */
  #firstOpen = 0
  askedAt = 0
  /** Whether somebody asks for the next child, or waits for it. */
  isBusy = false

  /** @param most - bytes of nodes, open or not, beyond which the graph is too deep */
  constructor(most: number, nodes: OpenNodes | undefined, walk: NodeDropper<B, T>) {
    this.#most = most
    this.#nodes = nodes
    this.#walk = walk
  }

  get length(): number {
    return this.#all.length
  }

  /** The frame of the child that comes next. */
  get top(): Frame<B, T> | undefined {
    return this.#all.at(-1)
  }

  /** The frame that stands so many above the top. */
  above(distance: number): Frame<B, T> | undefined {
    return this.#all.at(-1 - distance)
  }

  [Symbol.iterator](): Iterator<Frame<B, T>> {
    return this.#all[Symbol.iterator]()
  }

  /** Notes that somebody asks for the next child. */
  asks(): void {
    this.isBusy = true
    if (this.#nodes !== undefined) this.askedAt = performance.now()
  }

  /** @throws E_UNIXFS_TOO_DEEP when the branches that are not finished need more memory than allowed */
  push(branch: B, asked: number): void {
    this.#held += branch.held + FRAME
    if (this.#held > this.#most) throw unixfsErrors.E_UNIXFS_TOO_DEEP(this.#most)
    const frame: Frame<B, T> = { branch, asked, slots: [], isOpen: false, opening: undefined, error: undefined }
    this.#all.push(frame)
    this.opened(frame)
    while (this.#open > OPEN && this.#firstOpen < this.#all.length - 1) this.#close(this.#all[this.#firstOpen++]!)
  }

  /** Counts the node of the top, which was opened. */
  opened(frame: Frame<B, T>): void {
    const { held } = frame.branch
    frame.isOpen = true
    this.#open += held
    this.#firstOpen = Math.min(this.#firstOpen, this.#all.length - 1)
    if (held > 0) this.#nodes?.add(this, held)
  }

  pop(): void {
    const frame = this.#all.pop()!
    this.#held -= frame.branch.held + FRAME
    this.#closed(frame)
  }

  /** For a walk that ends. */
  clear(): void {
    for (const frame of this.#all) this.#closed(frame)
    this.#all.length = 0
  }

  closeNodes(): void {
    if (this.isBusy) return
    while (this.#firstOpen < this.#all.length) this.#close(this.#all[this.#firstOpen++]!)
  }

  #close(frame: Frame<B, T>): void {
    const { branch } = frame
    if (!frame.isOpen || branch.block === undefined) return
    this.#closed(frame)
    this.#walk.drop(frame)
    branch.close!()
  }

  #closed(frame: Frame<B, T>): void {
    if (!frame.isOpen) return
    const { held } = frame.branch
    frame.isOpen = false
    this.#open -= held
    if (held > 0) this.#nodes?.remove(this, held)
  }
}
