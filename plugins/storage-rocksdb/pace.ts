/** Milliseconds: a write in the loop that took longer held up everybody. */
export const SLOW = 4
/** Slow writes, among so many, that are laid at the disk's door: one alone may be a machine that was busy with something else. */
const SLOW_ONES = 2
const AMONG = 64
/** Times {@link SLOW} that a write takes which says so alone. */
const STALL = 25
/** Milliseconds for which no more are made then, doubled where the next ones are slow as well. */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 10_000
/** Times as long as a stall, and milliseconds at most, for which no more are made after it: a disk that stalls again and again holds up the loop little. */
const STALLS_TIMES = 10
const LONGEST_AFTER_STALL = 100_000

/** Whether the disk takes writes as quickly as the loop can wait for them: one says so of all writes of a repo. */
export class Pace {
  readonly #slow: number
  #until = 0
  #pause = FIRST_PAUSE
  #count = 0
  #slowOnes = 0

  /** @param slow - in milliseconds */
  constructor(slow: number = SLOW) {
    this.#slow = slow
  }

  /** Whether others should go by another thread. `now` in milliseconds. */
  isPaused(now: number): boolean {
    return now < this.#until
  }

  /** Does a write that the loop waits for. @returns false where it has to go by another thread */
  run(write: () => void): boolean {
    const began = performance.now()
    if (this.isPaused(began)) return false
    try {
      write()
      return true
    } finally {
      const now = performance.now()
      this.took(now - began, now)
    }
  }

  /** Call after each write with the time that it took. */
  took(milliseconds: number, now: number): void {
    this.#count++
    if (milliseconds > this.#slow * STALL) this.pause(now, Math.min(milliseconds * STALLS_TIMES, LONGEST_AFTER_STALL))
    else if (milliseconds > this.#slow && ++this.#slowOnes === SLOW_ONES) this.pause(now)
    if (this.#count < AMONG) return
    if (this.#slowOnes === 0) this.#pause = FIRST_PAUSE
    this.#count = this.#slowOnes = 0
  }

  /** Call when a write failed. @param atLeast - in milliseconds */
  pause(now: number, atLeast = 0): void {
    this.#until = now + Math.max(this.#pause, atLeast)
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE)
    this.#count = this.#slowOnes = 0
  }
}
