/** Bytes of all long answers together after which what else there is to do gets its turn. */
const MOST = 1 << 20

interface Waiting {
  readonly bytes: number
  go(): void
}

/**
 * Turns of the event loop that long answers share: in each as many go on, in their order, as write a megabyte. Hundreds that go on at once
 * hold up short ones.
 */
export class SharedTurns {
  readonly #most: number
  readonly #waiting: Waiting[] = []

  constructor(most = MOST) {
    this.#most = most
  }

  /** Resolves when an answer may write so many bytes. */
  take(bytes: number): Promise<void> {
    return new Promise(resolve => {
      if (this.#waiting.push({ bytes, go: resolve }) === 1) setImmediate(this.#turn)
    })
  }

  readonly #turn = (): void => {
    let count = 0
    for (let left = this.#most; left > 0 && count < this.#waiting.length; count++) left -= this.#waiting[count]!.bytes
    for (const { go } of this.#waiting.splice(0, count)) go()
    if (this.#waiting.length > 0) setImmediate(this.#turn)
  }
}
