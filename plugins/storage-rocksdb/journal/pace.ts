/** A write in the loop that took so many milliseconds, for whatever reason, held up everybody. */
const SLOW = 4
/** Milliseconds for which no more are made then, doubled where the next ones are slow as well. */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 10_000
/** Quick writes after which it is forgotten. */
const FORGOTTEN_AFTER = 64

/** Whether the disk takes writes as quickly as the loop can wait for them. */
export class Pace {
  #until = 0
  #pause = FIRST_PAUSE
  #quick = 0

  /** Whether others should go by another thread. `now` in milliseconds. */
  isPaused(now: number): boolean {
    return now < this.#until
  }

  /** Call after each write with the time that it took. */
  took(milliseconds: number, now: number): void {
    if (milliseconds > SLOW) this.pause(now)
    else if (++this.#quick === FORGOTTEN_AFTER) this.#pause = FIRST_PAUSE
  }

  /** Call when a write was slow or failed. */
  pause(now: number): void {
    this.#until = now + this.#pause
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE)
    this.#quick = 0
  }
}
