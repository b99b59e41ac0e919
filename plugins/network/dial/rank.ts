import { reachOf } from '../../../core/multiaddr/index.ts'
import { isRelayed } from '../addresses/addresses.ts'

/** An address of a peer, and when its dial begins, in milliseconds from the first one. */
export interface Ranked {
  readonly address: string
  readonly delay: number
}

/** Time between dials of public addresses and of near ones, and that of relayed addresses behind direct ones (go-libp2p 0.33, dial_ranker.go). */
const PUBLIC_DELAY = 250
const NEAR_DELAY = 30
const RELAY_DELAY = 500

/** The transports in the order in which they are tried; what is none of them comes last. */
const TRANSPORTS: ReadonlyArray<(address: string) => boolean> = [
  address => /\/quic-v1(\/|$)/.test(address),
  address => address.includes('/tcp/') && !isWebSocket(address),
  address => isWebSocket(address),
  () => true
]

/**
 * When each address of a peer is dialled, in the manner of RFC 8305 and go-libp2p's ranker: near and public addresses side by side, QUIC before
 * TCP before WebSocket, IPv6 and IPv4 in turns, relays behind direct addresses, and what failed lately behind everything else.
 */
export function ranked(addresses: readonly string[], hasFailed: (address: string) => boolean): Ranked[] {
  const first = byReach(addresses.filter(address => !hasFailed(address)))
  const last = first.at(-1)
  const again = byReach(addresses.filter(hasFailed))
  return [...first, ...later(again, last === undefined ? 0 : last.delay + PUBLIC_DELAY)]
}

function byReach(addresses: readonly string[]): Ranked[] {
  const [relayed, direct] = parted(addresses, isRelayed)
  const [far, near] = parted(direct, address => reachOf(address) === 'public')
  const overRelays = later(staggered(relayed, PUBLIC_DELAY), direct.length > 0 ? RELAY_DELAY : 0)
  return [...staggered(near, NEAR_DELAY), ...staggered(far, PUBLIC_DELAY), ...overRelays].sort((a, b) => a.delay - b.delay)
}

/** The first address of each transport and IP version after one another, so far apart, then all others of the transport. */
function staggered(addresses: readonly string[], step: number): Ranked[] {
  const all: Ranked[] = []
  for (const transport of TRANSPORTS) {
    const known = new Set(all.map(({ address }) => address))
    const some = addresses.filter(address => !known.has(address) && transport(address)).sort((a, b) => portOf(a) - portOf(b))
    const [ipv6, others] = parted(some, isIpv6)
    const begin = all.length === 0 ? 0 : all.at(-1)!.delay + step
    const most = ipv6.length > 0 && others.length > 0 ? 2 : 1
    all.push(...inTurns(ipv6, others).map((address, i) => ({ address, delay: begin + Math.min(i, most) * step })))
  }
  return all
}

const isWebSocket = (address: string) => /\/wss?(\/|$)/.test(address)

const isIpv6 = (address: string) => /^\/(ip6|ip6zone|dns6)\//.test(address)

/** A low port is more likely one that the peer listens on. */
const portOf = (address: string) => Number(/\/(?:tcp|udp)\/(\d+)/.exec(address)?.[1] ?? 0)

const later = (some: readonly Ranked[], by: number): Ranked[] => some.map(({ address, delay }) => ({ address, delay: delay + by }))

function parted(addresses: readonly string[], test: (address: string) => boolean): [those: string[], others: string[]] {
  return [addresses.filter(test), addresses.filter(address => !test(address))]
}

function inTurns(some: readonly string[], others: readonly string[]): string[] {
  const length = Math.max(some.length, others.length)
  return Array.from({ length }, (_, i) => [some[i], others[i]])
    .flat()
    .filter(address => address !== undefined)
}
