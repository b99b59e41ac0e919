import { type Datastore, type Logger, messageOf, type Network, type Repo } from '../../../core/index.ts'
import { askForText, originOf, parseAddressOfPeer } from '../../../core/multiaddr/index.ts'
import { Refusals } from '../../../core/network/index.ts'
import { withoutPeer } from '../addresses/addresses.ts'
import { announcer } from '../addresses/announce.ts'
import { Certificate } from '../addresses/certificate.ts'
import type { ConfiguredFilters } from '../addresses/filters.ts'
import { listenOn } from '../addresses/listen.ts'
import { meterOf, type StreamBandwidth } from '../bandwidth.ts'
import { checkAddresses, saidInSwarm } from '../config/checked.ts'
import { type NetworkConfig, networkConfig } from '../config/config.ts'
import { marksOf } from '../config/marks.ts'
import { Bootstrap } from '../connections/bootstrap.ts'
import { gaterOf } from '../connections/gater.ts'
import { PendingInbound } from '../connections/pending.ts'
import { Trimmer } from '../connections/trimmer.ts'
import { Dialer } from '../dial/dialer.ts'
import { networkPluginErrors } from '../errors.ts'
import type { ConfiguredLimits } from '../limits/limits.ts'
import { watchExcess } from '../peers/excess.ts'
import { Identified } from '../peers/identified.ts'
import { lockSimply } from '../peers/locks.ts'
import { PeerRecords, recordOf } from '../peers/records.ts'
import { writeSpokenOnce } from '../peers/spoken.ts'
import { readNetworkKey } from '../private/key.ts'
import { Routers } from '../routers.ts'
import type { NetworkSettings } from '../settings.ts'
import { watchHalves } from '../streams/halves.ts'
import { securing, watchBeginning, watchNegotiation } from '../streams/negotiation.ts'
import { beginAtOnce, Spoken } from '../streams/optimistic.ts'
import { UnannouncedProtocols } from '../streams/unannounced.ts'
import { agreed } from '../streams/windows.ts'
import { addressDialer, dialBy } from './dials.ts'
import type { Foundation } from './foundation.ts'
import { isMalformed } from './identify.ts'
import { loadLibraries } from './libraries.ts'
import { partLogger } from './logger.ts'
import { makeNode, type Node } from './node.ts'
import { HelpfulServices } from './services.ts'

/** The parts that the network is built of, besides libp2p. */
export interface BuildParts {
  readonly repo: Repo
  readonly agent: string
  readonly filters: ConfiguredFilters
  readonly limits: ConfiguredLimits
  readonly bandwidth: StreamBandwidth
  readonly datastore: Datastore | undefined
  readonly settings: NetworkSettings
  readonly log: Logger
}

/** Puts a network together as the node configuration says. */
export async function build(
  { repo, agent, filters, limits, bandwidth, datastore, settings, log }: BuildParts,
  network: Network
): Promise<Foundation> {
  const config = networkConfig(repo, process.env)
  const key = await readNetworkKey(repo.path, process.env)
  if (key !== undefined) refuseInPrivate(repo)
  await check(config)
  const announce = announcer(config)
  const libraries = await loadLibraries(config.relay)
  const quic =
    config.quic && key === undefined
      ? await (await import('../quic/transport.ts')).quicTransport(settings.negotiationTimeout, limits.memory)
      : undefined
  if (typeof quic === 'string') log.info(`no QUIC: ${quic}`)
  const certificate =
    settings.wss === undefined ? undefined : await Certificate.read({ files: settings.wss, folder: repo.path ?? '.', log })
  const refusals = new Refusals(log)
  let node: Node | undefined
  let identified: Identified | undefined
  const count = (stream: Parameters<StreamBandwidth['count']>[0]) => {
    const connection = node?.getConnections().find(({ streams }) => streams.includes(stream))
    const peer = connection?.remotePeer.toString() ?? ''
    if (bandwidth.enabled) bandwidth.count(stream, peer)
    agreed(stream)
    const refused = limits.refuseExcess(stream, peer)
    if (refused !== undefined) refusals.tell(`a stream of ${stream.protocol} of the peer ${peer}`, refused)
  }
  /** Inbound connections of which something has come. */
  const heard = new WeakSet<object>()
  const gater = gaterOf({
    filters,
    limits,
    refusals,
    pending: new PendingInbound(settings.maxPendingInbound, settings.negotiationTimeout, address =>
      refusals.tell(`a connection of ${originOf(address)}`, 'it was not secured in time (plugins.network.negotiationTimeout)')
    ),
    isSilent: connection => !heard.has(connection),
    admitted(connection) {
      watchBeginning(connection, () => heard.add(connection))
      // what comes in a private network is encrypted from its first octet on
      if (key !== undefined) return
      watchNegotiation(connection, securing(config.security), () => {
        refusals.tell(`a connection of ${originOf(`${connection.remoteAddr}`)}`, 'it sent what is no negotiation of how it is secured')
        return networkPluginErrors.E_NEGOTIATION(`${connection.remoteAddr}`)
      })
    }
  })
  node = await makeNode({
    identity: repo.identity,
    agent,
    config,
    settings,
    gater,
    protector: key === undefined ? undefined : (await import('../private/protector.ts')).protectorOf(key),
    quic: typeof quic === 'string' ? undefined : quic,
    certificate: certificate?.pair,
    metrics: meterOf(count),
    memory: limits.memory,
    logger: partLogger(log),
    records: new PeerRecords({
      most: settings.maxRemembered,
      kept: () =>
        new Set([repo.identity.peerId, ...(node?.getPeers().map(String) ?? [])].map(peer => recordOf(libraries.peerIdFromString(peer))))
    }),
    refused: (address, why) => refusals.tell(`a connection of ${originOf(address)}`, why),
    unidentified(connection, error) {
      identified?.over(connection)
      if (!isMalformed(error)) return
      const why = 'it says of itself what is no message of identify'
      refusals.tell(`the peer ${connection.remotePeer}`, `${why}: ${messageOf(error)}`, why)
      connection.abort(error)
    },
    announce: addresses => {
      const listening = node?.components.transportManager.getAddrs().map(String) ?? []
      // with the node's ID, as mDNS tells neighbours of no other addresses
      return announce([...addresses, ...listening].map(withoutPeer)).map(address => `${address}/p2p/${repo.identity.peerId}`)
    }
  })
  identified = new Identified(node, settings.negotiationTimeout)
  lockSimply(node)
  writeSpokenOnce(node)
  const spoken = new Spoken(node)
  beginAtOnce(node, spoken)
  watchExcess(node, node.components.registrar, limits.memory, refusals)
  watchHalves(node.components.registrar, refusals)
  const { transportManager, events } = node.components
  certificate?.onRenewed(
    pair => void events.safeDispatchEvent('certificate:renew', { detail: { cert: String(pair.cert), key: String(pair.key) } })
  )
  limits.watch(() => node.getConnections())
  const dialer = new Dialer({
    settings,
    filters,
    ask: askForText,
    hasTransport: address => transportManager.dialTransportForMultiaddr(libraries.multiaddr(address)) !== undefined,
    dial: addressDialer({ node, libraries, gater, log })
  })
  dialBy({ node, libraries, dialer, find: (peer, signal) => network.find(peer, { signal }) })
  return {
    node,
    libraries,
    identified,
    fingerprint: key?.fingerprint,
    forced: forcedReachability(repo),
    dialer,
    trimmer: new Trimmer(marksOf(repo)),
    routers: new Routers(repo.get<string>('Routing.Type') !== 'none'),
    limits,
    spoken,
    unannounced: new UnannouncedProtocols(node.components.registrar),
    listen: () => listenOn(config.listen, { node, libraries, isCertified: certificate !== undefined, log }),
    beside: [
      new HelpfulServices({
        network,
        node,
        libraries,
        repo,
        config,
        gateways: settings.gateways,
        isPrivateNetwork: key !== undefined,
        log
      }),
      new Bootstrap({ network, repo, datastore, settings, log }),
      ...(certificate === undefined ? [] : [certificate]),
      dialer
    ]
  }
}

/** @throws E_PEER_OF_CONFIG */
async function check({ listen, announce, appendAnnounce, noAnnounce, relays }: NetworkConfig): Promise<void> {
  await checkAddresses('Addresses.Swarm', listen)
  await checkAddresses('Addresses.Announce', announce)
  await checkAddresses('Addresses.AppendAnnounce', appendAnnounce)
  await checkAddresses('Addresses.NoAnnounce', noAnnounce)
  await checkAddresses('Swarm.RelayClient.StaticRelays', relays, parseAddressOfPeer)
}

/** @throws E_REACHABILITY */
function forcedReachability(repo: Repo): Foundation['forced'] {
  const forced = repo.get<string | null>('Internal.Libp2pForceReachability')
  if (!forced) return undefined
  if (forced !== 'public' && forced !== 'private') throw networkPluginErrors.E_REACHABILITY(forced)
  return forced
}

/** Transports that bring their own security know nothing of the key. @throws E_PRIVATE_NETWORK_TRANSPORT */
function refuseInPrivate(repo: Repo): void {
  for (const name of ['QUIC', 'WebTransport', 'WebRTCDirect'])
    if (saidInSwarm(repo, 'Transports', 'Network', name) === true) throw networkPluginErrors.E_PRIVATE_NETWORK_TRANSPORT(name)
}
