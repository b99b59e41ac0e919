import type { CID } from '../../../core/index.ts'
import type { Want } from './want.ts'

/** Blocks that were answered or given up lately, of which more may still come. */
const MOST_RECENT = 4096

/** Wants that only ask whether a block is there, at most: peers remember no more of all wants (boxo, bitswap/server/internal/decision). */
const MOST_ASKED = 1000

/** How much an answer counts against those before. */
const SMOOTHING = 0.1

/** How much a silence counts against those before, and what is added to three times that, in milliseconds: twice what boxo adds. */
const [LATE_SMOOTHING, USUAL_TIMES, MORE_TIME] = [0.5, 3, 1000]

/** A question to a peer that was not answered yet. */
interface Ask {
  readonly want: Want
  readonly kind: 'block' | 'have'
  /** When, in milliseconds. */
  readonly at: number
}

/** The questions to one peer, and how it answers. */
export class PeerAsks {
  readonly #open = new Map<string, Ask>()
  readonly #recent = new Set<string>()
  readonly #maxBlocks: number
  #blocks = 0
  #hits = 0
  #stray = 0
  /** How long it was silent of late before it sent blocks that it was asked for, in milliseconds. */
  #silence: number | undefined
  /** When it was heard before the message of which no block was counted yet. */
  #before: number | undefined
  /** When it sent blocks last, or a part of a long message, in milliseconds. */
  lastHeard = 0
  /** Whether it was asked for blocks, and has let them wait since it sent the last one. */
  isStalled = false

  constructor(maxBlocks: number) {
    this.#maxBlocks = maxBlocks
  }

  /** Blocks that it is asked for. */
  get blocks(): number {
    return this.#blocks
  }

  /** The part of its late answers that were blocks, from 0 to 1. */
  get hits(): number {
    return this.#hits
  }

  /** Blocks that it sent without being asked. */
  get stray(): number {
    return this.#stray
  }

  get all(): Iterable<Ask> {
    return this.#open.values()
  }

  /** How long it may send nothing until others are asked as well, in milliseconds: not much more than it was silent before. */
  patience(most: number): number {
    return this.#silence === undefined ? most : Math.min(most, MORE_TIME + USUAL_TIMES * this.#silence)
  }

  /** It sends a message with blocks. */
  heard(now: number): void {
    this.#before = this.lastHeard
    this.lastHeard = now
  }

  hasRoom(kind: Ask['kind']): boolean {
    return kind === 'block' ? this.#blocks < this.#maxBlocks : this.#open.size < MOST_ASKED
  }

  of(want: Want): Ask | undefined {
    return this.#open.get(want.key)
  }

  add(want: Want, kind: Ask['kind'], at: number): void {
    this.remove(want.key)
    this.#open.set(want.key, { want, kind, at })
    if (kind === 'block') this.#blocks++
  }

  /** @returns what it was asked */
  remove(key: string): Ask | undefined {
    const ask = this.#open.get(key)
    if (ask === undefined) return undefined
    this.#open.delete(key)
    if (ask.kind === 'block') this.#blocks--
    this.#recent.add(key)
    if (this.#recent.size > MOST_RECENT) this.#recent.delete(this.#recent.keys().next().value!)
    return ask
  }

  /** Counts an answer: a block, which it was asked for at this time, or that it is not there. */
  answered(isBlock: boolean, at?: number): void {
    this.#hits += SMOOTHING * ((isBlock ? 1 : 0) - this.#hits)
    if (!isBlock) return
    this.isStalled = false
    if (this.#before !== undefined && at !== undefined) {
      const silence = this.lastHeard - Math.max(at, this.#before)
      this.#silence = this.#silence === undefined ? silence : this.#silence + LATE_SMOOTHING * (silence - this.#silence)
      this.#before = undefined
    }
    if (this.#stray > 0) this.#stray--
  }

  /** Counts a block of this name, for which no question is open. @returns whether it was asked for before */
  unasked(key: string): boolean {
    if (this.#recent.has(key)) return true
    this.#stray++
    return false
  }
}

/** A peer that can be asked. */
export interface AskedPeer {
  readonly id: string
  readonly asks: PeerAsks
  /** Whether it is reached over relays alone that allow little: it is asked for nothing that it has not said it has. */
  readonly isLimited: boolean
  ask(cid: CID, kind: 'block' | 'have'): void
  cancel(cid: CID, isLazy?: boolean): void
}

/** What a peer with a lower one is asked before. */
export const rank = ({ asks, isLimited }: AskedPeer) => asks.blocks + (asks.isStalled ? 1e6 : 0) + (isLimited ? 1e5 : 0)

/** Time between two looks at peers beyond which this node was held up, and how long it reads then what has come meanwhile, in milliseconds. */
const [HELD_UP, READS] = [750, 500]

/** Knows whether this node itself is why nothing was heard of peers. */
export class Delays {
  #last = Number.POSITIVE_INFINITY
  #heldUp = Number.NEGATIVE_INFINITY

  /** To be called at each look. */
  wasHeldUp(now: number): boolean {
    if (now - this.#last > HELD_UP) this.#heldUp = now
    this.#last = now
    return now - this.#heldUp < READS
  }
}
