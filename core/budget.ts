import { unlessAborted } from './abort.ts'

/** A number of bytes that many share: who finds too few left waits for those before him. */
export class Budget {
  readonly #most: number
  #used = 0
  readonly #waiting: Array<{ readonly bytes: number; readonly granted: PromiseWithResolvers<void> }> = []

  constructor(most: number) {
    this.#most = most
  }

  get used(): number {
    return this.#used
  }

  /** Resolves when there is room; more than there can ever be is given when all else is back. @throws the reason of `signal` */
  async take(bytes: number, signal: AbortSignal): Promise<() => void> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) {
      const waiter = { bytes, granted: Promise.withResolvers<void>() }
      this.#waiting.push(waiter)
      try {
        await unlessAborted(waiter.granted.promise, signal)
      } catch (error) {
        const at = this.#waiting.indexOf(waiter)
        if (at >= 0) this.#waiting.splice(at, 1)
        else this.#give(bytes)
        this.#grant()
        throw error
      }
    } else this.#used += bytes
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#give(bytes)
    }
  }

  #fits(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= this.#most
  }

  #give(bytes: number): void {
    this.#used -= bytes
    this.#grant()
  }

  #grant(): void {
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0]!.bytes)) {
      const { bytes, granted } = this.#waiting.shift()!
      this.#used += bytes
      granted.resolve()
    }
  }
}
