import type { AheadReader, OpenNodes, ReadAhead } from '../services/storage/read-ahead.ts'
import { OpenNodesBudget } from './open-nodes.ts'

/** The number of readers up to which they share what memory the C library keeps for later; that of more would be too much to keep. */
const FEW_READERS = 16

/** Time after which a reader that has asked for nothing counts as stalled, in milliseconds. */
const STALLED_MS = 1000

interface Holding {
  bytes: number
  /** When the reader asked last. */
  readonly since: number
}

/** One budget over all read-ahead. Readers that go on share what is there; those that have stalled give theirs back to them. */
export class ReadAheadBudget implements ReadAhead {
  readonly nodes: OpenNodes
  readonly #most: number
  readonly #now: () => number
  /** Holdings of the readers, in the order in which these asked last. */
  readonly #holdings = new Map<AheadReader, Holding>()
  #held = 0
  #handedOver = 0

  /**
   * @param most - bytes
   * @param now - in milliseconds
   */
  constructor(most: number, now = () => performance.now()) {
    this.#most = most
    this.#now = now
    this.nodes = new OpenNodesBudget(most, now)
  }

  /** Bytes that are counted now. */
  get used(): number {
    return this.#held + this.#handedOver
  }

  get isCrowded(): boolean {
    return this.#holdings.size > FEW_READERS
  }

  room(bytes: number): boolean {
    if (this.#fits(bytes)) return true
    const stalled = this.#now() - STALLED_MS
    for (const [reader, { since }] of this.#holdings) {
      if (since > stalled) return false
      reader.giveBack()
      if (this.#fits(bytes)) return true
    }
    return false
  }

  take(reader: AheadReader, bytes: number): void {
    const held = this.#holdings.get(reader)?.bytes ?? 0
    this.#holdings.delete(reader)
    this.#holdings.set(reader, { bytes: held + bytes, since: this.#now() })
    this.#held += bytes
  }

  release(reader: AheadReader, bytes?: number): void {
    const holding = this.#holdings.get(reader)
    if (holding === undefined) return
    const given = bytes ?? holding.bytes
    holding.bytes -= given
    this.#held -= given
    if (holding.bytes === 0) this.#holdings.delete(reader)
  }

  handOver(bytes: number): (() => void) | undefined {
    if (this.#handedOver + bytes > this.#most / 2) return undefined
    this.#handedOver += bytes
    return () => {
      this.#handedOver -= bytes
    }
  }

  #fits(bytes: number): boolean {
    return this.used + bytes <= this.#most
  }
}
