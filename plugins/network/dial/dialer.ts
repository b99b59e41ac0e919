import { type AddressFilters, networkErrors } from '../../../core/index.ts'
import { type AskForText, resolveDnsaddr } from '../../../core/multiaddr/index.ts'
import { bounded } from '../../../core/timing.ts'
import { isPrivate, isRelayed, withoutPeer } from '../addresses/addresses.ts'
import type { NetworkSettings } from '../settings.ts'
import { Backoff } from './backoff.ts'
import { dialMessage, TIME_IS_OVER } from './error.ts'
import { Race } from './race.ts'
import { ranked } from './rank.ts'
import { DialSlots } from './slots.ts'

/** How one address is dialled. */
export interface AddressDialOptions {
  readonly signal: AbortSignal
  /** Whether this side negotiates as the one who dialled. Default: true. */
  readonly initiator?: boolean | undefined
}

/** How a peer is dialled. */
export interface PeerDialOptions {
  readonly signal?: AbortSignal | undefined
  readonly initiator?: boolean | undefined
  /** By connections of its own, whatever dials of the peer are under way. */
  readonly alone?: boolean | undefined
}

/** The parts that the dialer needs. */
export interface DialParts<C> {
  readonly settings: Pick<
    NetworkSettings,
    'dialTimeout' | 'dialTimeoutPrivate' | 'connectTimeout' | 'maxAddressesToDial' | 'maxParallelDials' | 'maxQueuedDials'
  >
  readonly filters: Pick<AddressFilters, 'blocks'>
  readonly ask: AskForText
  /** Whether a transport of this node knows such addresses. */
  hasTransport(address: string): boolean
  /** Dials one address, the peer at its end. */
  dial(address: string, options: AddressDialOptions): Promise<C>
}

/** A race, and how many wait for its end. */
interface Joined<C> {
  readonly race: Race<C>
  callers: number
}

/** Dials peers by their addresses, several at a time, and says of each why not. Who dials a peer that is being dialled joins in. */
export class Dialer<C> {
  readonly #parts: DialParts<C>
  readonly #slots: DialSlots
  readonly #backoff = new Backoff()
  readonly #joined = new Map<string, Joined<C>>()
  readonly #all = new Set<Race<C>>()
  #isStopped = false

  constructor(parts: DialParts<C>) {
    this.#parts = parts
    this.#slots = new DialSlots(parts.settings.maxParallelDials, parts.settings.maxQueuedDials)
  }

  /** @throws E_DIAL, E_NETWORK_STOPPED */
  async dial(peer: string, addresses: readonly string[], { signal, initiator, alone }: PeerDialOptions = {}): Promise<C> {
    signal?.throwIfAborted()
    if (this.#isStopped) throw networkErrors.E_NETWORK_STOPPED()
    const known = alone === true ? undefined : this.#joined.get(peer)
    const joined = known ?? { race: this.#race(peer, initiator), callers: 0 }
    const { race } = joined
    if (known === undefined && alone !== true) this.#joined.set(peer, joined)
    joined.callers++
    const late = () => networkErrors.E_DIAL(dialMessage(peer, 'all dials failed', race.failures))
    try {
      return await bounded(this.#parts.settings.connectTimeout, signal, late, () => {
        this.#add(race, peer, addresses)
        return race.result
      })
    } finally {
      if (--joined.callers === 0) race.stop(new Error('nobody waits for the dial any more'))
    }
  }

  stop(): void {
    this.#isStopped = true
    for (const race of this.#all) race.stop(networkErrors.E_NETWORK_STOPPED())
  }

  #race(peer: string, initiator: boolean | undefined): Race<C> {
    const race: Race<C> = new Race(peer, {
      rank: addresses =>
        ranked(addresses, address => this.#backoff.has(`${address}/p2p/${peer}`)).slice(0, this.#parts.settings.maxAddressesToDial),
      refusal: address => this.#refusal(address),
      dial: (address, signal, begun) => this.#tryOne(race, `${address}/p2p/${peer}`, { signal, initiator }, begun),
      over: () => {
        this.#all.delete(race)
        if (this.#joined.get(peer)?.race === race) this.#joined.delete(peer)
      }
    })
    this.#all.add(race)
    return race
  }

  #add(race: Race<C>, peer: string, addresses: readonly string[]): void {
    const names = addresses.filter(address => address.startsWith('/dnsaddr/'))
    for (const name of new Set(names)) {
      void race.addLater(name, async signal => {
        const found = await resolveDnsaddr(`${name}/p2p/${peer}`, this.#parts.ask, signal)
        return found.map(withoutPeer)
      })
    }
    race.add(addresses.filter(address => !names.includes(address)))
  }

  async #tryOne(race: Race<C>, address: string, options: AddressDialOptions, begun: () => void): Promise<C> {
    const { dialTimeout, dialTimeoutPrivate } = this.#parts.settings
    const time = isPrivate(address) ? dialTimeoutPrivate : dialTimeout
    const late = () => new Error(TIME_IS_OVER)
    const dial = () => {
      begun()
      return bounded(time, options.signal, late, signal => this.#parts.dial(address, { ...options, signal }))
    }
    try {
      // a relayed dial waits for that of the relay, which takes a place itself
      const connection = await (isRelayed(address) ? dial() : this.#slots.run(race, options.signal, dial))
      this.#backoff.worked(address)
      return connection
    } catch (error) {
      if (!options.signal.aborted) this.#backoff.failed(address)
      throw error
    }
  }

  #refusal(address: string): string | undefined {
    if (!this.#parts.hasTransport(address)) return 'no transport for protocol'
    if (this.#parts.filters.blocks(address)) return 'gater disallows connection to peer'
    return undefined
  }
}
