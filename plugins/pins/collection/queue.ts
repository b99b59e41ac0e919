import { unlessAborted } from '../../../core/abort.ts'

/** The time between two looks at a reader for whom others wait, in milliseconds: one who has not read on in between is not waited for. */
const LOOK_EVERY = 5000

/** Work that is under way, and how far its reader is. */
interface Turn {
  readonly granted: PromiseWithResolvers<void>
  /** Items handed to the reader. */
  given: number
  /** How many there were when it was looked at last. */
  seen: number
  /** Set while the reader has the last of them, or does not read on. */
  end: (() => Promise<unknown>) | undefined
  isLost: boolean
}

/**
 * A queue of work of which there may only be one at a time. Work whose reader stops reading while others wait is ended; it begins anew, at
 * the end of the queue, when the reader reads on.
 */
export class ReadingQueue {
  #current: Turn | undefined
  readonly #waiting: Turn[] = []
  #watch: NodeJS.Timeout | undefined

  /** The items of `begin`, which is called again where its work was ended. */
  async *each<T>(begin: () => AsyncGenerator<T, void>, signal: AbortSignal | undefined): AsyncGenerator<T> {
    let turn: Turn
    do {
      turn = await this.#next(signal)
      try {
        const work = begin()
        for await (const item of work) {
          turn.given++
          turn.end = () => work.return()
          yield item
          turn.end = undefined
          if (turn.isLost) break
        }
      } finally {
        if (!turn.isLost) this.#pass()
      }
    } while (turn.isLost)
  }

  async #next(signal: AbortSignal | undefined): Promise<Turn> {
    const turn: Turn = { granted: Promise.withResolvers(), given: 0, seen: 0, end: undefined, isLost: false }
    if (this.#current === undefined) {
      this.#current = turn
      return turn
    }
    this.#waiting.push(turn)
    this.#watch ??= setInterval(() => void this.#look(), LOOK_EVERY)
    try {
      await unlessAborted(turn.granted.promise, signal)
      return turn
    } catch (error) {
      const at = this.#waiting.indexOf(turn)
      if (at >= 0) this.#waiting.splice(at, 1)
      else if (this.#current === turn) this.#pass()
      throw error
    } finally {
      this.#stopWatch()
    }
  }

  async #look(): Promise<void> {
    const turn = this.#current
    if (turn === undefined || turn.isLost) return
    const isStuck = turn.end !== undefined && turn.given === turn.seen
    turn.seen = turn.given
    if (!isStuck) return
    turn.isLost = true
    await turn.end?.().catch(() => {})
    this.#pass()
  }

  #pass(): void {
    this.#current = this.#waiting.shift()
    this.#current?.granted.resolve()
  }

  #stopWatch(): void {
    if (this.#waiting.length > 0) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }
}
