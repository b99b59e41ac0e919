import type { AutoNATComponents } from '@libp2p/autonat'
import type { AutoNATv2Components } from '@libp2p/autonat-v2'
import { type Logger, messageOf, type Network, type Repo, type Startable } from '../../../core/index.ts'
import { isPrivate, isPublic, isRelayed } from '../addresses/addresses.ts'
import { reasonOf } from '../addresses/listen.ts'
import type { NetworkConfig } from '../config/config.ts'
import type { Libraries } from './libraries.ts'
import type { Node } from './node.ts'
import { tellingSeconds } from './relay.ts'

export interface ServiceParts {
  readonly network: Network
  readonly node: Node
  readonly libraries: Libraries
  readonly repo: Repo
  readonly config: NetworkConfig
  /** UPnP descriptions of routers that are asked for a port; where there are none, a search finds them. */
  readonly gateways: readonly string[]
  /** Whether the node is in a private network. */
  readonly isPrivateNetwork: boolean
  readonly log: Logger
}

type Made = object

/** The first and the longest wait before a relay is asked again, in milliseconds. */
const [RETRY, LONGEST_RETRY] = [2_000, 600_000]

/** The services that help peers to find and reach each other, as the configuration wants it: each is imported only where it is on. */
export class HelpfulServices implements Startable {
  readonly #parts: ServiceParts
  readonly #over = new AbortController()
  #isRelay = false
  #isPunching = false
  readonly #look = () =>
    void this.#adapt().catch(error => this.#parts.log.warn(`the services of a node that is reached: ${messageOf(error)}`))

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  async start(): Promise<void> {
    const { network, node, repo, config, gateways, isPrivateNetwork } = this.#parts
    const listens = network.listening().filter(address => !isRelayed(address))
    if (config.autoNat !== undefined) {
      const [{ autoNAT }, { autoNATv2 }, { dialsAnew, dialsBackLittle, REQUESTS, Requests }] = await Promise.all([
        import('@libp2p/autonat'),
        import('@libp2p/autonat-v2'),
        import('./autonat.ts')
      ])
      // peers of before 2025 speak the first version alone
      const first = autoNAT({ maxInboundStreams: config.autoNat })
      const [asked, askedBySecond] = [new Requests(REQUESTS.first), new Requests(REQUESTS.second)]
      this.#add((components: AutoNATComponents) => first(dialsAnew(components, asked)))
      const second = autoNATv2({ maxInboundStreams: config.autoNat })
      this.#add((components: AutoNATv2Components) => second(dialsBackLittle(components, askedBySecond)))
    }
    if (repo.get<boolean | null>('Discovery.MDNS.Enabled') === true && listens.length > 0) {
      const { mdns } = await import('@libp2p/mdns')
      this.#add(mdns())
    }
    const isReachable = listens.some(address => !address.startsWith('/ip4/127.') && !address.startsWith('/ip6/::1/'))
    if (repo.get<boolean | null>('Swarm.DisableNatPortMap') !== true && isReachable && listens.some(isPrivate) && !isPrivateNetwork) {
      const { uPnPNAT } = await import('@libp2p/upnp-nat')
      this.#add(uPnPNAT(gateways.length === 0 ? {} : { gateways: [...gateways] }))
    }
    await this.#useRelays()
    node.addEventListener('self:peer:update', this.#look)
    node.addEventListener('peer:identify', this.#look)
    this.#look()
  }

  stop(): void {
    this.#over.abort()
    this.#parts.node.removeEventListener('self:peer:update', this.#look)
    this.#parts.node.removeEventListener('peer:identify', this.#look)
  }

  /** Asks relays for a place under which others reach this node: those that are named, or any that it meets. */
  async #useRelays(): Promise<void> {
    const { config } = this.#parts
    if (!config.relayClient) return
    const named = config.relays.map(relay => `${relay}/p2p-circuit`)
    const wanted = named.length > 0 ? named : config.anyRelay ? ['/p2p-circuit'] : []
    for (const address of wanted) void this.#reserve(address, RETRY)
  }

  /** Asks one relay for a place, again and again while it is away. */
  async #reserve(address: string, wait: number): Promise<void> {
    const { node, libraries, log } = this.#parts
    try {
      await node.components.transportManager.listen([libraries.multiaddr(address)])
    } catch (error) {
      if (this.#over.signal.aborted) return
      log.warn(`no place on the relay ${address}: ${reasonOf(error, address)}`)
      const timer = setTimeout(() => void this.#reserve(address, Math.min(wait * 2, LONGEST_RETRY)), wait).unref()
      this.#over.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    }
  }

  /** Adds what the addresses under which others may reach the node call for. */
  async #adapt(): Promise<void> {
    await this.#punchHoles()
    await this.#relay()
  }

  /**
   * Direct connections in the place of relayed ones: the side that was reached over a relay dials the other, or both dial at once. There has
   * to be a public address, be it one that nobody but a peer has seen, or a place on a relay (go-libp2p 0.33, p2p/protocol/holepunch).
   */
  async #punchHoles(): Promise<void> {
    const { node, repo, config } = this.#parts
    if (this.#isPunching || !config.relayClient || repo.get<boolean | null>('Swarm.EnableHolePunching') === false) return
    const known = node.components.addressManager.getAddressesWithMetadata().map(one => `${one.multiaddr}`)
    if (!known.some(address => isPublic(address) || isRelayed(address))) return
    this.#isPunching = true
    const { dcutr } = await import('@libp2p/dcutr')
    this.#add(dcutr())
  }

  /** The services that only a node which others reach can give. */
  async #relay(): Promise<void> {
    const { node, repo, config } = this.#parts
    // others have dialled it, and told
    const isVerified = () =>
      node.components.addressManager.getAddressesWithMetadata().some(one => one.verified && isPublic(`${one.multiaddr}`))
    const forced = repo.get<string | null>('Internal.Libp2pForceReachability')
    const reached = forced === 'public' || (forced !== 'private' && isVerified())
    if (this.#isRelay || !reached || !config.relayService) return
    this.#isRelay = true
    const { circuitRelayServer } = await import('@libp2p/circuit-relay-v2')
    const { maxReservations, reservationTtl, duration, data } = config.relayLimits
    const relay = circuitRelayServer({
      reservations: { maxReservations, reservationTtl, defaultDurationLimit: duration, defaultDataLimit: BigInt(data) }
    })
    this.#add(tellingSeconds(relay))
  }

  #add<C>(make: (components: C) => unknown): void {
    this.#parts.network.add((components: C) => make(components) as Made)
  }
}
