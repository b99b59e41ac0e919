import { originOf } from '../addresses/filters.ts'

/** A connection that tells when it is over. */
interface CloseSource {
  addEventListener(type: 'close', listener: () => void): void
}

/**
 * Inbound connections that are not secured yet, by where they come from: one address, or one network of IPv6, has half of the places, so that silent
 * connections of one keep nobody else away.
 */
export class PendingInbound {
  readonly #most: number
  readonly #share: number
  readonly #late: (address: string) => void
  readonly #time: number
  readonly #counts = new Map<string, number>()
  #all = 0
  readonly #ends = new WeakMap<object, () => void>()

  /**
   * @param most - of all addresses together
   * @param time - in which a connection is to be secured, in milliseconds
   * @param late - called with the address of one that was closed as it was not
   */
  constructor(most: number, time = Number.POSITIVE_INFINITY, late: (address: string) => void = () => {}) {
    this.#most = most
    this.#share = Math.max(1, Math.floor(most / 2))
    this.#time = time
    this.#late = late
  }

  /** Why a connection finds no place. */
  get full(): string {
    if (this.#all >= this.#most) return `${this.#most} are not secured yet (plugins.network.maxPendingInbound)`
    return `${this.#share} of this address are not secured yet (half of plugins.network.maxPendingInbound)`
  }

  /** Counts a connection until it is secured or closed. @returns whether there is a place left, for its address as well */
  take(connection: CloseSource, address: string): boolean {
    const origin = originOf(address)
    const count = this.#counts.get(origin) ?? 0
    if (count >= this.#share || this.#all >= this.#most) return false
    this.#all++
    this.#counts.set(origin, count + 1)
    const began = performance.now()
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      this.#all--
      const left = (this.#counts.get(origin) ?? 1) - 1
      if (left > 0) this.#counts.set(origin, left)
      else this.#counts.delete(origin)
    }
    this.#ends.set(connection, end)
    connection.addEventListener('close', () => {
      if (!isOver && performance.now() - began >= this.#time) this.#late(address)
      end()
    })
    return true
  }

  secured(connection: object): void {
    this.#ends.get(connection)?.()
  }
}
