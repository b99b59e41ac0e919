import type { CID } from 'multiformats/cid'
import type { WantEntry } from '../wire/message.ts'
import { keyOf } from '../wire/message.ts'

/** A want of a peer, and how far its answer is. */
export interface PeerWant {
  readonly key: string
  readonly cid: CID
  /** The thing that is wanted: the block, or only whether it is here. */
  kind: 'block' | 'have'
  sendDontHave: boolean
  /** `missing` is remembered until the block is here. */
  state: 'queued' | 'looking' | 'missing'
  /** Whether the block was stored while it was looked for. */
  again: boolean
  /** The size of the block in bytes, where it was looked up. */
  size: number | undefined
}

/** The index of which peers want what, told of each key that comes and goes. */
export interface WantIndex {
  added(key: string): void
  removed(key: string): void
}

/** The wants of one peer: those that wait for their answer, in order, and those whose blocks are not here. */
export class PeerWants {
  readonly #index: WantIndex
  readonly #most: number
  readonly #all = new Map<string, PeerWant>()
  #queue: PeerWant[] = []
  #head = 0
  #missing = 0
  #forgotten = 0

  /** @param most - remembered of those whose blocks are not here */
  constructor(index: WantIndex, most: number) {
    this.#index = index
    this.#most = most
  }

  /** The wants that wait for their answer. */
  get queued(): number {
    return this.#queue.length - this.#head
  }

  /** Wants that were forgotten because there were too many. */
  get forgotten(): number {
    return this.#forgotten
  }

  cids(): CID[] {
    return Array.from(this.#all.values(), ({ cid }) => cid)
  }

  add({ cid, kind, sendDontHave }: WantEntry): void {
    const key = keyOf(cid)
    const known = this.#all.get(key)
    if (known === undefined) {
      const want: PeerWant = { key, cid, kind, sendDontHave, state: 'queued', again: false, size: undefined }
      this.#all.set(key, want)
      this.#queue.push(want)
      this.#index.added(key)
      return
    }
    if (kind === 'block') known.kind = 'block'
    known.sendDontHave ||= sendDontHave
    if (known.state === 'missing') this.#enqueue(known)
  }

  cancel(cid: CID): void {
    const key = keyOf(cid)
    const want = this.#all.get(key)
    if (want !== undefined) this.done(want)
  }

  clear(): void {
    for (const want of [...this.#all.values()]) this.done(want)
    this.#queue = []
    this.#head = 0
  }

  /** A block was stored. @returns whether there is something to answer now */
  stored(key: string): boolean {
    const want = this.#all.get(key)
    if (want === undefined) return false
    if (want.state === 'looking') want.again = true
    if (want.state !== 'missing') return false
    this.#enqueue(want)
    return true
  }

  /** The next that waits, to be looked for. */
  take(): PeerWant | undefined {
    while (this.#head < this.#queue.length) {
      const want = this.#queue[this.#head++]!
      if (this.#head > 1024 && this.#head * 2 > this.#queue.length) {
        this.#queue = this.#queue.slice(this.#head)
        this.#head = 0
      }
      if (!this.isOpen(want) || want.state !== 'queued') continue
      want.state = 'looking'
      want.again = false
      return want
    }
    return undefined
  }

  /** Puts back in front, in their order, what there was no room for. */
  putBack(wants: readonly PeerWant[]): void {
    const open = wants.filter(want => this.isOpen(want))
    for (const want of open) want.state = 'queued'
    this.#queue = [...open, ...this.#queue.slice(this.#head)]
    this.#head = 0
  }

  /** Whether the peer still wants it. */
  isOpen(want: PeerWant): boolean {
    return this.#all.get(want.key) === want
  }

  /** It was answered, or is not wanted any more. */
  done(want: PeerWant): void {
    if (!this.#all.delete(want.key)) return
    if (want.state === 'missing') this.#missing--
    this.#index.removed(want.key)
  }

  /**
   * Its block is not here.
   *
   * @returns whether that is so still: false where it was stored meanwhile, and is looked for again
   */
  missing(want: PeerWant): boolean {
    if (want.again) {
      this.#enqueue(want)
      return false
    }
    want.state = 'missing'
    want.size = undefined
    // the oldest of those that are missing comes first
    this.#all.delete(want.key)
    this.#all.set(want.key, want)
    if (++this.#missing > this.#most) this.#forget()
    return true
  }

  #enqueue(want: PeerWant): void {
    if (want.state === 'missing') this.#missing--
    want.state = 'queued'
    want.again = false
    want.size = undefined
    this.#queue.push(want)
  }

  #forget(): void {
    for (const want of this.#all.values()) {
      if (want.state !== 'missing') continue
      this.done(want)
      this.#forgotten++
      return
    }
  }
}
