import { setImmediate as nextTurn } from 'node:timers/promises'

/** Time that work may take before others get a turn, in milliseconds. */
const LONGEST_MS = 10

/**
 * The turns of others during work that may never wait for anything outside the process: blocks at hand cost no turn of the event loop, so
 * without this a graph of a few of them, repeated, would stop all else, a timeout and the news that the caller has left included.
 */
export class Turns {
  #began: number = performance.now()

  /** Whether this work has gone on for long enough. */
  get isOthers(): boolean {
    return performance.now() - this.#began >= LONGEST_MS
  }

  /** Lets the others have theirs. */
  async pass(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}
