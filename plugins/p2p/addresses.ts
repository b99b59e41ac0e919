import {
  type AddressPart,
  type AskForText,
  multiaddrText,
  parseMultiaddr,
  parsePeerAddress,
  resolveDnsaddr
} from '../../core/multiaddr/index.ts'
import { p2pErrors } from './errors.ts'

/** Where a socket of this machine listens or leads. */
export interface SocketAddress {
  /** The network as Go names it: `tcp4`, `udp6`; `ip4` where there is no port. */
  readonly network: string
  readonly host: string
  readonly port: number | undefined
}

const FAMILIES: Readonly<Record<string, string>> = { ip4: '4', dns4: '4', ip6: '6', dns6: '6', dns: '' }

/** The socket that a multiaddr starts with (go-multiaddr 0.12, net.DialArgs). @throws E_P2P_ADDRESS */
export function socketAddress(parts: readonly AddressPart[]): SocketAddress {
  const [first, second] = parts
  const family = first === undefined ? undefined : FAMILIES[first.name]
  if (family === undefined) throw p2pErrors.E_P2P_ADDRESS(multiaddrText(parts))
  const host = first!.value!
  if (second?.name !== 'tcp' && second?.name !== 'udp') return { network: `ip${family}`, host, port: undefined }
  return { network: `${second.name}${family}`, host, port: Number(second.value) }
}

/** A socket as Go's errors name it: `tcp4 127.0.0.1:80`. */
export function socketText({ network, host, port }: SocketAddress): string {
  return `${network} ${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The multiaddr of a service of this machine, in its own form. */
export interface ServiceAddress {
  readonly text: string
  readonly socket: SocketAddress
}

/** @throws E_MULTIADDR, E_P2P_NO_PORT, E_P2P_PORT_0, E_P2P_ADDRESS */
export async function parseService(text: string): Promise<ServiceAddress> {
  const parts = await parseMultiaddr(text)
  const port = (parts.find(({ name }) => name === 'tcp') ?? parts.find(({ name }) => name === 'udp'))?.value
  if (port === undefined) throw p2pErrors.E_P2P_NO_PORT()
  if (Number(port) === 0) throw p2pErrors.E_P2P_PORT_0()
  return { text: multiaddrText(parts), socket: socketAddress(parts) }
}

/** A peer, and the addresses (multiaddrs without it) that were given with it. */
export interface PeerTarget {
  readonly peer: string
  readonly addresses: readonly string[]
}

/** The peer that an address names, or that TXT records behind its name do. @throws E_MULTIADDR, E_P2P_UNRESOLVED, E_P2P_AMBIGUOUS */
export async function parsePeer(text: string, ask: AskForText, signal: AbortSignal): Promise<PeerTarget> {
  const { transport, peer } = await parsePeerAddress(text)
  if (peer !== undefined) return { peer, addresses: transport === '' ? [] : [transport] }
  const found = await resolveDnsaddr(transport, ask, signal)
  let named: string | undefined
  const addresses: string[] = []
  for (const address of found) {
    const one = await parsePeerAddress(address)
    if (one.peer === undefined) continue
    if (named !== undefined && named !== one.peer) throw p2pErrors.E_P2P_AMBIGUOUS(transport, named, one.peer)
    named = one.peer
    if (one.transport !== '') addresses.push(one.transport)
  }
  if (named === undefined) throw p2pErrors.E_P2P_UNRESOLVED(transport)
  return { peer: named, addresses }
}
