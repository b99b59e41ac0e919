import { Buckets, Proxies, whoIs } from '../../core/callers/index.ts'
import type { Caller } from '../../core/index.ts'
import { gatewayErrors } from './errors.ts'
import type { GatewaySettings } from './settings.ts'

/** The part of the requests that are answered which a single caller has where nothing else is said. */
const ONE_CALLERS_PART = 0.875

/**
 * The requests that are answered: no more than the limits say, of one caller not all of them, and of one caller not too many in a second.
 * Callers without an address, as on a unix socket, have no limit of their own.
 */
export class Admission {
  readonly #limits: GatewaySettings['limits']
  readonly #each: number
  /** Seconds. */
  readonly #retryAfter: number
  readonly #proxies: Proxies
  readonly #buckets: Buckets | undefined
  readonly #running = new Map<string, number>()
  #all = 0

  constructor({ limits, trustedProxies }: Pick<GatewaySettings, 'limits' | 'trustedProxies'>) {
    const { requests, requestsPerCaller, perSecond, burst, callers } = limits
    this.#limits = limits
    this.#retryAfter = Math.ceil(limits.retryAfterSeconds / 1000)
    this.#each = requestsPerCaller === 0 ? Math.ceil(requests * ONE_CALLERS_PART) : requestsPerCaller
    this.#proxies = new Proxies(trustedProxies)
    this.#buckets = perSecond > 0 ? new Buckets({ perSecond, burst, callers }) : undefined
  }

  /**
   * Lets a request in.
   *
   * @returns under what it is counted, for {@link leave}
   * @throws E_GATEWAY_BUSY, E_GATEWAY_BUSY_CALLER, E_GATEWAY_RATE
   */
  enter(caller: Caller): string | undefined {
    const { requests, perSecond } = this.#limits
    const who = whoIs(caller, this.#proxies)
    if (who !== undefined) {
      // before all others: a request that is turned away for another reason has been made, too
      const wait = this.#buckets?.take(who) ?? 0
      if (wait > 0) throw gatewayErrors.E_GATEWAY_RATE(Math.ceil(wait), perSecond)
    }
    if (this.#all >= requests) throw gatewayErrors.E_GATEWAY_BUSY(this.#retryAfter)
    if (who !== undefined) {
      const ofCaller = this.#running.get(who) ?? 0
      if (ofCaller >= this.#each) throw gatewayErrors.E_GATEWAY_BUSY_CALLER(this.#retryAfter, this.#each)
      this.#running.set(who, ofCaller + 1)
    }
    this.#all++
    return who
  }

  leave(who: string | undefined): void {
    this.#all--
    if (who === undefined) return
    const left = this.#running.get(who)! - 1
    if (left === 0) this.#running.delete(who)
    else this.#running.set(who, left)
  }
}
