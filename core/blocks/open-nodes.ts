import type { NodeKeeper, OpenNodes } from '../services/storage/read-ahead.ts'

/** Time after which a walk that has asked for nothing counts as stalled, in milliseconds. */
const STALLED_MS = 1000

/** Beyond so many times the memory, walks that go on close theirs as well, and open them again. */
const HARD = 2

/** Time between two looks for stalled walks, where all went on at the last one, in milliseconds. */
const LOOK_MS = 50

/** The nodes that all walks keep open together. Those of walks that have stalled are closed first. */
export class OpenNodesBudget implements OpenNodes {
  readonly #most: number
  readonly #now: () => number
  readonly #held = new Map<NodeKeeper, number>()
  #used = 0
  #lookedAt = Number.NEGATIVE_INFINITY

  /**
   * @param most - bytes
   * @param now - in milliseconds
   */
  constructor(most: number, now = () => performance.now()) {
    this.#most = most
    this.#now = now
  }

  /** Bytes of nodes that are open. */
  get used(): number {
    return this.#used
  }

  add(keeper: NodeKeeper, bytes: number): void {
    this.#used += bytes
    this.#held.set(keeper, (this.#held.get(keeper) ?? 0) + bytes)
    if (this.#used > this.#most) this.#makeRoom(keeper)
  }

  remove(keeper: NodeKeeper, bytes: number): void {
    this.#used -= bytes
    const left = this.#held.get(keeper)! - bytes
    if (left > 0) this.#held.set(keeper, left)
    else this.#held.delete(keeper)
  }

  #makeRoom(keeper: NodeKeeper): void {
    const now = this.#now()
    const isHard = this.#used > HARD * this.#most
    if (!isHard && now - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = now
    const others = [...this.#held.keys()].filter(other => other !== keeper).sort((one, other) => one.askedAt - other.askedAt)
    for (const other of others) {
      if (this.#used <= this.#most) return
      const isStalled = now - other.askedAt > STALLED_MS
      if (!isStalled && this.#used <= HARD * this.#most) return
      other.closeNodes()
    }
  }
}
