import { isIPv4 } from 'node:net'
import { commonBits, placeOf } from '../../../core/network/distance.ts'

/** Most peers of one network in the table, and in one bucket of it (go-libp2p-kad-dht 0.25, dht_options.go). */
export const [MOST_IN_TABLE, MOST_IN_BUCKET] = [3, 2]

/**
 * The network that an address is of: of IPv4 its first 16 bits, the first 8 where they were given out as a whole; of IPv6 its first 32, as many as
 * an operator gets. undefined for an address without an IP.
 */
export function networkOf(address: string): string | undefined {
  const ip = /^\/ip[46]\/([^/]+)/.exec(address)?.[1]
  if (ip === undefined) return undefined
  if (isIPv4(ip)) {
    const [first = '', second = ''] = ip.split('.')
    return LEGACY.has(Number(first)) ? first : `${first}.${second}`
  }
  const [groups = ''] = ip.split('::')
  const [first = '0', second = '0'] = groups === '' ? [] : groups.split(':')
  return `${Number.parseInt(first, 16).toString(16)}:${Number.parseInt(second, 16).toString(16)}::`
}

/** Networks of 8 bits that one holder has as a whole (go-libp2p-kbucket 0.6, peerdiversity/filter.go). */
const LEGACY: ReadonlySet<number> = new Set([12, 17, 19, 38, 48, 56, 73, 53])

/** How long a peer may take into the table once it was let in, in milliseconds. */
const ON_THE_WAY = 10_000

/** A peer of the table, or one on its way into it. */
interface Admitted {
  /** Where it was connected from. */
  readonly networks: readonly string[]
  readonly at: number
}

/** Keeps a table open to many: one who has thousands of peers in one network gets few of them into it. */
export class Diversity {
  readonly #self: Uint8Array
  readonly #idBytes: (peer: string) => Uint8Array
  readonly #admitted = new Map<string, Admitted>()

  /** @param self - the node's own ID in octets */
  constructor(self: Uint8Array, idBytes: (peer: string) => Uint8Array) {
    this.#self = placeOf(self)
    this.#idBytes = idBytes
  }

  /**
   * Why a peer may not come into the table, where a network of it has as many peers there as one may have. undefined where it may: it counts from
   * then on, as long as it is in the table.
   */
  refuses(peer: string, addresses: readonly string[], table: readonly string[]): string | undefined {
    if (table.includes(peer)) return undefined
    this.#forget(table)
    const bucket = this.#bucketOf(peer)
    const networks = [...new Set(addresses.map(networkOf).filter(network => network !== undefined))]
    for (const network of networks) {
      const others = [...this.#admitted].filter(([id, one]) => id !== peer && one.networks.includes(network)).map(([id]) => id)
      const near = others.filter(other => this.#bucketOf(other) === bucket)
      if (others.length >= MOST_IN_TABLE || near.length >= MOST_IN_BUCKET)
        return `the table has as many peers of the network ${network} as it may`
    }
    this.#admitted.set(peer, { networks, at: performance.now() })
    return undefined
  }

  /** The peers that are not in the table, and are not on their way into it either. */
  #forget(table: readonly string[]): void {
    const present = new Set(table)
    const recent = performance.now() - ON_THE_WAY
    for (const [peer, { at }] of this.#admitted) if (at < recent && !present.has(peer)) this.#admitted.delete(peer)
  }

  #bucketOf(peer: string): number {
    return commonBits(this.#self, placeOf(this.#idBytes(peer)))
  }
}
