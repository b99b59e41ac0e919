import { originOf } from '../../../core/multiaddr/index.ts'

/** A connection that tells when it is over. */
interface CloseSource {
  addEventListener(type: 'close', listener: () => void): void
}

/** What is done with a connection while it is pending. */
export interface PendingParts {
  /** Whether nothing has come of it yet. */
  isSilent(): boolean
  /** Closes it, as another one takes its place. */
  close(why: string): void
}

interface Place extends PendingParts {
  readonly end: () => void
}

/**
 * Inbound connections that are not secured yet, by where they come from: one address, or one network of IPv6, has half of the places. Where there is none
 * left, the oldest that is silent, else the oldest, of the address with the most makes room: whoever holds connections open keeps nobody else away.
 */
export class PendingInbound {
  readonly #most: number
  readonly #share: number
  readonly #late: (address: string) => void
  readonly #time: number
  /** By origin, the oldest first. */
  readonly #places = new Map<string, Set<Place>>()
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

  /** Counts a connection until it is secured or closed; another one is closed where there is no place left for it, or for its address. */
  take(connection: CloseSource, address: string, parts: PendingParts): void {
    const origin = originOf(address)
    if ((this.#places.get(origin)?.size ?? 0) >= this.#share)
      this.#makeRoom(origin, `${this.#share} of this address are not secured yet (half of plugins.network.maxPendingInbound)`)
    else if (this.#all >= this.#most)
      this.#makeRoom(this.#largest(), `${this.#most} are not secured yet (plugins.network.maxPendingInbound)`)
    const began = performance.now()
    let isOver = false
    const place: Place = {
      ...parts,
      end: () => {
        if (isOver) return
        isOver = true
        this.#all--
        const others = this.#places.get(origin)
        others?.delete(place)
        if (others?.size === 0) this.#places.delete(origin)
      }
    }
    this.#all++
    const others = this.#places.get(origin)
    if (others === undefined) this.#places.set(origin, new Set([place]))
    else others.add(place)
    this.#ends.set(connection, place.end)
    connection.addEventListener('close', () => {
      if (!isOver && performance.now() - began >= this.#time) this.#late(address)
      place.end()
    })
  }

  secured(connection: object): void {
    this.#ends.get(connection)?.()
  }

  #largest(): string {
    let [largest, most] = ['', 0]
    for (const [origin, { size }] of this.#places) if (size > most) [largest, most] = [origin, size]
    return largest
  }

  #makeRoom(origin: string, why: string): void {
    const places = [...(this.#places.get(origin) ?? [])]
    const given = places.find(place => place.isSilent()) ?? places[0]
    given?.end()
    given?.close(why)
  }
}
