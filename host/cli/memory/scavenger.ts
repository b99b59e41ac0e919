import { takenMemory } from '../../../core/memory.ts'
import { v8Gc } from './v8-gc.ts'

/** Bytes of short-lived memory after which the young generation is collected: 0.5 ms, where reading as much takes 10. */
const EVERY = 16 << 20

/**
 * Frees the blocks that a process of its own, such as a daemon, has read and sent. Left to V8, a hundred MiB of them gather; and they are
 * read half as fast, since each goes to memory that was never used or was given back to the system in between.
 */
export class Scavenger {
  #taken = 0
  readonly #count = (bytes: unknown) => {
    this.#taken += bytes as number
    if (this.#taken < EVERY) return
    this.#taken = 0
    this.#collect()
  }
  readonly #collect: () => void

  constructor(collect = v8Gc({ type: 'minor' })) {
    this.#collect = collect
    takenMemory.subscribe(this.#count)
  }

  stop(): void {
    takenMemory.unsubscribe(this.#count)
  }
}
