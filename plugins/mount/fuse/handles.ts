import { constants } from 'node:os'
import { encodeOpen } from './protocol.ts'

/** The open files of a mount, by the numbers that the kernel was told. */
export class Handles<T> {
  readonly #most: number
  readonly #open = new Map<bigint, T>()
  #next = 1n

  constructor(most: number) {
    this.#most = most
  }

  /** The answer to `OPEN` and its kin, or `ENFILE`. */
  add(handle: T): Buffer | number {
    if (this.#open.size >= this.#most) return constants.errno.ENFILE
    const number = this.#next++
    this.#open.set(number, handle)
    return encodeOpen(number)
  }

  get(number: bigint): T | undefined {
    return this.#open.get(number)
  }

  /** Forgets a handle. @returns what it stood for */
  take(number: bigint): T | undefined {
    const handle = this.#open.get(number)
    this.#open.delete(number)
    return handle
  }

  values(): Iterable<T> {
    return this.#open.values()
  }
}
