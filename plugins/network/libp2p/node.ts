import type { Identify } from '@libp2p/identify'
import type {
  ComponentLogger,
  ConnectionGater,
  ConnectionProtector,
  Libp2p,
  Libp2pEvents,
  Metrics,
  TypedEventTarget
} from '@libp2p/interface'
import type { AddressManager, ConnectionManager, Registrar, TransportManager } from '@libp2p/interface-internal'
import type { Libp2pInit } from 'libp2p'
import type { Identity } from '../../../core/index.ts'
import type { Pair } from '../addresses/certificate.ts'
import type { NetworkConfig, SecurityName } from '../config/config.ts'
import { networkPluginErrors } from '../errors.ts'
import type { StreamMemory } from '../limits/memory.ts'
import type { PeerRecords } from '../peers/records.ts'
import type { MakeTransport } from '../quic/transport.ts'
import type { NetworkSettings } from '../settings.ts'
import { watchNegotiation } from '../streams/negotiation.ts'
import { steady } from '../streams/ping.ts'
import { withFewUpdates } from '../streams/windows.ts'
import { observing, type Unidentified, unversioned, watched, watchedPush } from './identify.ts'

/**
 * The largest window of a stream, as the reference has it (Kubo 0.28, core/node/libp2p/smux.go). As much may wait for a slow reader: with less room
 * than the peer was told of, the stream would break.
 */
export const STREAM_WINDOW = 16 * 1024 * 1024

/** Connections that libp2p itself would let in: what is too many is decided by the limits, the gater and the connection manager's marks. */
const ANY_NUMBER = 1_000_000

/** The parts that libp2p is made of. */
export interface Components {
  readonly addressManager: AddressManager
  readonly connectionManager: ConnectionManager
  readonly registrar: Registrar
  readonly transportManager: TransportManager
  readonly logger: ComponentLogger
  readonly events: TypedEventTarget<Libp2pEvents>
  readonly [name: string]: unknown
}

/** A libp2p with its components. */
export type Node = Libp2p & {
  readonly components: Components
}

export interface NodeParts {
  readonly identity: Identity
  readonly agent: string
  readonly config: NetworkConfig
  readonly settings: NetworkSettings
  readonly gater: ConnectionGater
  readonly protector: ConnectionProtector | undefined
  readonly quic: MakeTransport | undefined
  /** The certificate for secure WebSockets. */
  readonly certificate: Pair | undefined
  readonly metrics: Metrics | undefined
  readonly memory: StreamMemory
  readonly logger: ComponentLogger
  /** Where libp2p keeps what it remembers of peers. */
  readonly records: PeerRecords
  readonly unidentified: Unidentified
  /** Called with the address of a connection that is closed before it is one of a peer, and why. */
  refused(address: string, why: string): void
  /** The addresses that peers are told, out of those that libp2p has. */
  announce(addresses: readonly string[]): readonly string[]
}

/** A node that has not started: protocols can be added, nothing listens. */
export async function makeNode(parts: NodeParts): Promise<Node> {
  const { identity, config, settings, logger, announce, protector, metrics } = parts
  const [{ createLibp2p }, { multiaddr }, { privateKeyFromProtobuf }, { identify, identifyPush }, { ping }, { yamux }] = await Promise.all([
    import('libp2p'),
    import('@multiformats/multiaddr'),
    import('@libp2p/crypto/keys'),
    import('@libp2p/identify'),
    import('@libp2p/ping'),
    import('@chainsafe/libp2p-yamux')
  ])
  const init: Libp2pInit = {
    start: false,
    datastore: parts.records,
    privateKey: privateKeyFromProtobuf(identity.privateKey),
    nodeInfo: { userAgent: parts.agent },
    logger,
    addresses: {
      announceFilter: addresses => announce(addresses.map(String)).map(address => multiaddr(address))
    },
    transports: await transportsOf(parts),
    connectionEncrypters: await Promise.all(config.security.map(async name => withFewLines(await encrypterOf(name)))),
    streamMuxers: [
      () =>
        withFewUpdates(yamux({ streamOptions: { maxStreamWindowSize: STREAM_WINDOW, maxReadBufferLength: STREAM_WINDOW } })(), parts.memory)
    ],
    connectionGater: parts.gater,
    connectionMonitor: { enabled: false },
    connectionManager: {
      maxConnections: ANY_NUMBER,
      maxParallelDials: settings.maxParallelDials,
      maxDialQueueLength: settings.maxQueuedDials,
      maxPeerAddrsToDial: settings.maxAddressesToDial,
      dialTimeout: settings.connectTimeout,
      addressDialTimeout: settings.dialTimeout,
      inboundUpgradeTimeout: settings.negotiationTimeout,
      inboundStreamProtocolNegotiationTimeout: settings.negotiationTimeout,
      outboundStreamProtocolNegotiationTimeout: settings.negotiationTimeout,
      inboundConnectionThreshold: settings.inboundPerSecond,
      maxIncomingPendingConnections: ANY_NUMBER,
      reconnectRetries: 0
    },
    services: {
      identify: watched(observing(unversioned(identify({ timeout: settings.negotiationTimeout }))), parts.unidentified),
      identifyPush: watchedPush(unversioned(identifyPush({ timeout: settings.negotiationTimeout })), parts.unidentified, connection =>
        (node.services as unknown as { identify: Identify }).identify.identify(connection)
      ),
      ping: steady(ping(), settings.negotiationTimeout)
    }
  } as Libp2pInit
  if (protector !== undefined) init.connectionProtector = () => protector
  if (metrics !== undefined) init.metrics = () => metrics
  const node = stoppedWhole((await createLibp2p(init)) as unknown as Node)
  return node
}

/** A node whose addresses, which go away with its listeners, are not written down a second after it has stopped: that would hold the process. */
function stoppedWhole(node: Node): Node {
  const stop = node.stop.bind(node)
  node.stop = async () => {
    await stop()
    const { _updatePeerStoreAddresses: later } = node.components.addressManager as unknown as {
      _updatePeerStoreAddresses: { stop(): void }
    }
    later.stop()
  }
  return node
}

async function transportsOf({
  config: { tcp, websocket, relay },
  settings: { maxPendingInbound, negotiationTimeout },
  quic,
  certificate,
  refused
}: NodeParts): Promise<NonNullable<Libp2pInit['transports']>> {
  const made: NonNullable<Libp2pInit['transports']> = []
  if (tcp) made.push((await import('@libp2p/tcp')).tcp())
  if (websocket) {
    const [{ webSockets }, { multiaddrToUri }, { endingWebSockets }] = await Promise.all([
      import('@libp2p/websockets'),
      import('@multiformats/multiaddr-to-uri'),
      import('../dial/websocket.ts')
    ])
    made.push(
      endingWebSockets(webSockets({ https: certificate }), multiaddrToUri, { most: maxPendingInbound, time: negotiationTimeout, refused })
    )
  }
  if (quic !== undefined) made.push(quic)
  if (relay) {
    const { circuitRelayTransport } = await import('@libp2p/circuit-relay-v2')
    made.push(components => circuitRelayTransport()(components as Parameters<ReturnType<typeof circuitRelayTransport>>[0]))
  }
  return made
}

/** The multiplexers that are spoken. */
const MUXERS = new Set(['/yamux/1.0.0'])

type EncrypterOf = NonNullable<Libp2pInit['connectionEncrypters']>[number]

/** Bounds the lines in which a peer says how its streams go over one connection, where that was not agreed on while it was secured. */
function withFewLines(make: EncrypterOf): EncrypterOf {
  return components => {
    const encrypter = make(components)
    const secureInbound = encrypter.secureInbound.bind(encrypter)
    encrypter.secureInbound = async (connection, options) => {
      const secured = await secureInbound(connection, options)
      if (secured.streamMuxer === undefined)
        watchNegotiation(secured.connection, MUXERS, () => networkPluginErrors.E_NEGOTIATION(secured.remotePeer.toString()))
      return secured
    }
    return encrypter
  }
}

async function encrypterOf(name: SecurityName): Promise<EncrypterOf> {
  if (name === 'Noise') return (await import('../noise/encrypter.ts')).noiseEncrypter()
  const { tlsEncrypter } = await import('../tls/encrypter.ts')
  return components => tlsEncrypter(components as Parameters<typeof tlsEncrypter>[0])
}
