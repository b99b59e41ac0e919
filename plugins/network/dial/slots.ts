import { unlessAborted } from '../../../core/concurrency/index.ts'

interface Waiter {
  readonly dial: object
  readonly granted: PromiseWithResolvers<void>
}

/**
 * Places for addresses that are dialled at the same time. A dial with no address under way finds one as long as there are any; for further ones
 * of the same dial half of the places are there, and each dial takes at most as many as it leaves: peers with dead addresses hold up nobody else.
 */
export class DialSlots {
  readonly #most: number
  readonly #mostWaiting: number
  /** How many places each dial has. */
  readonly #held = new Map<object, number>()
  readonly #waiting: Waiter[] = []
  #used = 0

  constructor(most: number, mostWaiting: number) {
    this.#most = most
    this.#mostWaiting = mostWaiting
  }

  /** Runs work in a place for `dial`. @throws where too many wait, and the reason of `signal` */
  async run<T>(dial: object, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(dial)) this.#take(dial)
    else await this.#wait(dial, signal)
    try {
      return await work()
    } finally {
      this.#give(dial)
    }
  }

  #hasRoom(dial: object): boolean {
    const own = this.#held.get(dial) ?? 0
    if (own === 0 || this.#used >= this.#most) return this.#used < this.#most
    const further = this.#used - this.#held.size
    return further + own <= this.#most / 2
  }

  async #wait(dial: object, signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) throw new Error('too many dials wait (plugins.network.maxQueuedDials)')
    const waiter = { dial, granted: Promise.withResolvers<void>() }
    this.#waiting.push(waiter)
    try {
      await unlessAborted(waiter.granted.promise, signal)
    } catch (error) {
      const at = this.#waiting.indexOf(waiter)
      if (at >= 0) this.#waiting.splice(at, 1)
      else this.#give(dial)
      throw error
    }
  }

  #take(dial: object): void {
    this.#used++
    this.#held.set(dial, (this.#held.get(dial) ?? 0) + 1)
  }

  #give(dial: object): void {
    this.#used--
    const left = this.#held.get(dial)! - 1
    if (left > 0) this.#held.set(dial, left)
    else this.#held.delete(dial)
    for (;;) {
      const waiter = this.#waiting.find(one => !this.#held.has(one.dial)) ?? this.#waiting.find(one => this.#hasRoom(one.dial))
      if (waiter === undefined || !this.#hasRoom(waiter.dial)) return
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      this.#take(waiter.dial)
      waiter.granted.resolve()
    }
  }
}
