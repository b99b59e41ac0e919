import {
  type AskForAddresses,
  type AskForText,
  askForAddresses,
  askForText,
  type PeerAddress,
  parsePeerAddress,
  reachOf,
  resolveDnsaddr,
  resolveHost
} from '../../core/multiaddr/index.ts'

/** How names are asked for. */
export interface Names {
  readonly text: AskForText
  readonly addresses: AskForAddresses
}

/** The name servers of this machine. */
export const names: Names = { text: askForText, addresses: askForAddresses }

type Way = PeerAddress & { readonly peer: string }

/**
 * The ways that lead to the public network, names replaced by their addresses: what is checked is what is dialled, whatever the name says by
 * then. WebSocket over TLS would ask for the name once more, so a way of that kind by a name is none; nor is one whose name is not answered for
 * before the signal fires.
 */
export async function publicWays(ways: readonly Way[], asked: Names, signal: AbortSignal): Promise<Way[]> {
  const found = ways.map(async ({ transport, peer }) => {
    const at: string[] = []
    try {
      for (const one of await behind(transport, peer, asked, signal))
        if (isPublic(one) && !needsName(one)) at.push(...(await resolveHost(one, asked.addresses, signal)))
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return at.filter(isPublic).map((address): Way => ({ transport: address, peer }))
  })
  return (await Promise.all(found)).flat()
}

/** The addresses that `/dnsaddr/…` leads to; of another, itself. */
async function behind(transport: string, peer: string, { text }: Names, signal: AbortSignal): Promise<string[]> {
  if (!transport.startsWith('/dnsaddr/')) return [transport]
  const found = await resolveDnsaddr(`${transport}/p2p/${peer}`, text, signal)
  // anything can stand in a record
  const ways = await Promise.all(found.map(address => parsePeerAddress(address).catch(() => undefined)))
  return ways.flatMap(way => (way === undefined ? [] : [way.transport]))
}

function isPublic(transport: string): boolean {
  return !['loopback', 'private'].includes(reachOf(transport))
}

function needsName(transport: string): boolean {
  return /^\/dns[46]?\/[^/]+\/.*(?:wss|tls|https)(?:\/|$)/.test(transport)
}
