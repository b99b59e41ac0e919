import { type AddressFilters, networkErrors } from '../../../core/index.ts'
import { type AskForText, resolveDnsaddr } from '../../../core/multiaddr/index.ts'
import { bounded } from '../../../core/timing.ts'
import { isPrivate, isRelayed, withoutPeer } from '../addresses/addresses.ts'
import type { NetworkSettings } from '../settings.ts'
import { type AddressFailure, causeOf, dialMessage, TIME_IS_OVER } from './dial-error.ts'

/** The parts that the dialer needs. */
export interface DialParts<C> {
  readonly settings: Pick<NetworkSettings, 'dialTimeout' | 'dialTimeoutPrivate' | 'connectTimeout' | 'maxAddressesToDial'>
  readonly filters: Pick<AddressFilters, 'blocks'>
  readonly ask: AskForText
  /** Whether a transport of this node knows such addresses. */
  hasTransport(address: string): boolean
  /** Dials one address, the peer at its end. */
  dial(address: string, signal: AbortSignal): Promise<C>
}

/** Tries the addresses of a peer one after the other, the near ones first, and says of each why not. */
export class Dialer<C> {
  readonly #parts: DialParts<C>

  constructor(parts: DialParts<C>) {
    this.#parts = parts
  }

  /** @throws E_DIAL */
  async dial(peer: string, addresses: readonly string[], signal?: AbortSignal): Promise<C> {
    const { settings } = this.#parts
    const late = () => networkErrors.E_DIAL(dialMessage(peer, 'all dials failed', failures.length > 0 ? failures : untried(addresses)))
    const failures: AddressFailure[] = []
    return bounded(settings.connectTimeout, signal, late, inner => this.#tryAll(peer, addresses, failures, inner))
  }

  async #tryAll(peer: string, addresses: readonly string[], failures: AddressFailure[], signal: AbortSignal): Promise<C> {
    const fail = (summary: string) => networkErrors.E_DIAL(dialMessage(peer, summary, failures))
    const all = await this.#resolved(peer, addresses, signal)
    if (all.length === 0) throw fail('no addresses')
    const good = all.filter(address => {
      const cause = this.#refusal(address)
      if (cause !== undefined) failures.push({ address, cause })
      return cause === undefined
    })
    if (good.length === 0) throw fail('no good addresses')
    for (const address of good.slice(0, this.#parts.settings.maxAddressesToDial)) {
      try {
        return await this.#tryOne(peer, address, signal)
      } catch (error) {
        signal.throwIfAborted()
        failures.push({ address, cause: causeOf(error, address) })
      }
    }
    throw fail('all dials failed')
  }

  #tryOne(peer: string, address: string, signal: AbortSignal): Promise<C> {
    const { dialTimeout, dialTimeoutPrivate } = this.#parts.settings
    const time = isPrivate(address) ? dialTimeoutPrivate : dialTimeout
    return bounded(
      time,
      signal,
      () => new Error(TIME_IS_OVER),
      inner => this.#parts.dial(`${address}/p2p/${peer}`, inner)
    )
  }

  async #resolved(peer: string, addresses: readonly string[], signal: AbortSignal): Promise<string[]> {
    const found: string[] = []
    for (const address of addresses) {
      if (!address.startsWith('/dnsaddr/')) found.push(address)
      else found.push(...(await resolveDnsaddr(`${address}/p2p/${peer}`, this.#parts.ask, signal)).map(withoutPeer))
    }
    // direct before relayed, near before far: the given order among equals
    return [...new Set(found)].sort((a, b) => weight(a) - weight(b))
  }

  #refusal(address: string): string | undefined {
    if (!this.#parts.hasTransport(address)) return 'no transport for protocol'
    if (this.#parts.filters.blocks(address)) return 'gater disallows connection to peer'
    return undefined
  }
}

const weight = (address: string) => (isRelayed(address) ? 2 : isPrivate(address) ? 0 : 1)

const untried = (addresses: readonly string[]): AddressFailure[] =>
  addresses.map(address => ({ address, cause: 'the time for the dial was over' }))
