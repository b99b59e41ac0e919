import type { Connection, ConnectionGater, DialTarget, PeerId, Transport, Upgrader } from '@libp2p/interface'
import type { OpenConnectionOptions } from '@libp2p/interface-internal'
import type { Multiaddr } from '@multiformats/multiaddr'
import { type Logger, messageOf } from '../../../core/index.ts'
import { isRelayed, withoutPeer } from '../addresses/addresses.ts'
import type { AddressDialOptions, Dialer } from '../dial/dialer.ts'
import type { Libraries } from './libraries.ts'
import type { Node } from './node.ts'

interface AddressDialParts {
  readonly node: Node
  readonly libraries: Libraries
  readonly gater: ConnectionGater
  readonly log: Logger
}

/** Dials one address, whose end is the peer, by the transport that knows it: libp2p's own queue makes one dial of all those of a peer. */
export function addressDialer({ node, libraries, gater, log }: AddressDialParts) {
  const { transportManager, upgrader } = node.components as Node['components'] & { readonly upgrader: Upgrader }
  return async (address: string, { signal, initiator }: AddressDialOptions): Promise<Connection> => {
    if (node.status !== 'started' && node.status !== 'starting') throw new Error('the network does not run')
    const target = libraries.multiaddr(address)
    if ((await gater.denyDialMultiaddr?.(target)) === true) throw new Error('gater disallows connection to peer')
    const transport = transportManager.dialTransportForMultiaddr(target)
    if (transport === undefined) throw new Error('no transport for protocol')
    const options: Parameters<Transport['dial']>[1] & { initiator?: boolean | undefined } = {
      signal,
      initiator,
      upgrader: endingUpgrader(upgrader, signal)
    }
    const connection = await transport.dial(target, options)
    checkPeer(connection, address)
    const { remotePeer, remoteAddr } = connection
    const metadata = { 'last-dial-success': new TextEncoder().encode(`${Date.now()}`) }
    node.peerStore
      .merge(remotePeer, { multiaddrs: [remoteAddr], metadata })
      .catch(error => log.debug(`the address of ${remotePeer} is not remembered: ${messageOf(error)}`))
    return connection
  }
}

/** @throws for a connection with somebody else, which is closed, and for one that the peer has closed */
function checkPeer(connection: Connection, address: string): void {
  const wanted = peerOf(address)
  const came = connection.remotePeer.toString()
  if (came !== wanted) {
    const wrong = new Error(`Dialed peer ${wanted} but connected to ${came}`)
    connection.abort(wrong)
    throw wrong
  }
  if (connection.status !== 'open') throw new Error('the peer closed the connection as soon as it was open')
}

/** An upgrader by which no connection comes about once the dial is given up, and none stays open that is not secured. */
function endingUpgrader(upgrader: Upgrader, signal: AbortSignal): Upgrader {
  const made: Upgrader = Object.create(upgrader)
  made.upgradeOutbound = async (connection, options) => {
    const end = () => connection.abort(signal.reason)
    signal.addEventListener('abort', end, { once: true })
    try {
      signal.throwIfAborted()
      return await upgrader.upgradeOutbound(connection, options)
    } catch (error) {
      connection.abort(error as Error)
      throw error
    } finally {
      signal.removeEventListener('abort', end)
    }
  }
  return made
}

interface DialByParts {
  readonly node: Node
  readonly libraries: Pick<Libraries, 'peerIdFromString'>
  readonly dialer: Dialer<Connection>
  /** Addresses of a peer, without it. */
  find(peer: string, signal: AbortSignal | undefined): Promise<readonly string[]>
}

/** Has libp2p and its parts dial by the node's dialer. */
export function dialBy({ node, libraries, dialer, find }: DialByParts): void {
  const { connectionManager } = node.components
  const openConnection = connectionManager.openConnection.bind(connectionManager)
  connectionManager.openConnection = async (target: DialTarget, options: OpenConnectionOptions = {}) => {
    const { signal, initiator, force: alone } = options
    signal?.throwIfAborted()
    const { peer, addresses } = isPeerId(target) ? { peer: target.toString(), addresses: [] } : partsOf([target].flat().map(String))
    // somebody who is to say who he is
    if (peer === undefined) return openConnection(target, options)
    const open = alone === true ? undefined : usable(connectionManager.getConnections(libraries.peerIdFromString(peer)), addresses)
    if (open !== undefined) return open
    return dialer.dial(peer, addresses.length > 0 ? addresses : await find(peer, signal), { signal, initiator, alone })
  }
}

/** The peer at the end of addresses, where it is that of all, and what stands before it. */
function partsOf(addresses: readonly string[]): { readonly peer: string | undefined; readonly addresses: readonly string[] } {
  const [peer, ...others] = new Set(addresses.map(peerOf))
  return { peer: others.length > 0 ? undefined : peer, addresses: addresses.map(withoutPeer).filter(address => address !== '') }
}

/** A connection that is as good as any that would be dialled: a direct one, or a relayed one where relays are all there is. */
function usable(connections: readonly Connection[], addresses: readonly string[]): Connection | undefined {
  const open = connections.filter(({ status }) => status === 'open')
  const whole = open.filter(({ limits }) => limits === undefined)
  const isRelayedAnyway = addresses.length > 0 && addresses.every(isRelayed)
  return whole.find(({ direct }) => direct) ?? whole[0] ?? (isRelayedAnyway ? open[0] : undefined)
}

const isPeerId = (target: DialTarget): target is PeerId => !Array.isArray(target) && (target as Multiaddr).getComponents === undefined

const peerOf = (address: string): string | undefined => /\/p2p\/([^/]+)$/.exec(address)?.[1]
