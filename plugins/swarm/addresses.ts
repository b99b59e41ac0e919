import { trimRight } from '../../core/go/trim.ts'
import { askForText, parsePeerAddress, resolveDnsaddr } from '../../core/multiaddr/index.ts'
import { swarmErrors } from './errors.ts'

/** How long the names in addresses may take to be resolved, in milliseconds (Kubo 0.28, core/commands/swarm.go). */
const RESOLVE_TIMEOUT = 10_000

/** A way to a peer; `transport` is `''` where only the peer is named. */
export interface WayToPeer {
  readonly peer: string
  readonly transport: string
}

/**
 * The ways that addresses name: each with a peer at its end, or a name that leads to such. Texts are all read before a name is looked up.
 *
 * @throws E_MULTIADDR, E_SWARM_NO_PEER
 */
export async function waysToPeers(addresses: readonly string[], signal: AbortSignal): Promise<WayToPeer[]> {
  const parsed: Array<{ text: string; transport: string; peer: string | undefined }> = []
  for (const address of addresses) {
    const text = trimRight(address, '/')
    parsed.push({ text, ...(await parsePeerAddress(text)) })
  }
  const ways: WayToPeer[] = []
  for (const { text, transport, peer } of parsed) {
    if (peer !== undefined) ways.push({ peer, transport })
    else ways.push(...(await resolved(text, signal)))
  }
  return ways
}

async function resolved(address: string, signal: AbortSignal): Promise<WayToPeer[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(RESOLVE_TIMEOUT)])
  const targets = address.startsWith('/dnsaddr/') ? await resolveDnsaddr(address, askForText, limit).catch(() => []) : []
  signal.throwIfAborted()
  const ways: WayToPeer[] = []
  for (const target of targets) {
    const { peer, transport } = await parsePeerAddress(target)
    if (peer !== undefined) ways.push({ peer, transport })
  }
  if (ways.length === 0) throw swarmErrors.E_SWARM_NO_PEER(address)
  return ways
}

/** Addresses by peer, each in the order in which they came. */
export function byPeer(ways: readonly WayToPeer[]): Map<string, string[]> {
  const peers = new Map<string, string[]>()
  for (const { peer, transport } of ways) peers.set(peer, [...(peers.get(peer) ?? []), ...(transport === '' ? [] : [transport])])
  return peers
}
