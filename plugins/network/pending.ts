import { ipOf } from './addresses.ts'
import { parseFilter } from './filters.ts'

/** A connection that tells when it is over. */
interface Closing {
  addEventListener(type: 'close', listener: () => void): void
}

/**
 * Inbound connections that are not secured yet, by where they come from: one address, or one network of IPv6, has half of the places, so that silent
 * connections of one keep nobody else away.
 */
export class PendingInbound {
  readonly #share: number
  readonly #counts = new Map<string, number>()
  readonly #ends = new WeakMap<object, () => void>()

  /** @param most - of all addresses together */
  constructor(most: number) {
    this.#share = Math.max(1, Math.floor(most / 2))
  }

  /** Counts a connection until it is secured or closed. @returns whether its address has a place left */
  take(connection: Closing, address: string): boolean {
    const origin = originOf(address)
    const count = this.#counts.get(origin) ?? 0
    if (count >= this.#share) return false
    this.#counts.set(origin, count + 1)
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      const left = (this.#counts.get(origin) ?? 1) - 1
      if (left > 0) this.#counts.set(origin, left)
      else this.#counts.delete(origin)
    }
    this.#ends.set(connection, end)
    connection.addEventListener('close', end)
    return true
  }

  secured(connection: object): void {
    this.#ends.get(connection)?.()
  }
}

/** An address of IPv4, or the network of one of IPv6, all of whose addresses one machine may have. */
function originOf(address: string): string {
  const ip = ipOf(address) ?? ''
  return ip.includes(':') ? parseFilter(`/ip6/${ip}/ipcidr/64`).text : ip
}
