import { gatewayErrors } from '../errors.ts'
import type { GatewaySettings } from '../settings.ts'

/** How long names count, in milliseconds. */
const DAY = 86_400_000

/** The names whose records callers put in a day: no more than the limits say, so that a store grows no faster than that. */
export class RecordQuota {
  readonly #limits: Pick<GatewaySettings['limits'], 'records' | 'recordsPerCaller'>
  readonly #now: () => number
  readonly #names = new Set<string>()
  readonly #callers = new Map<string, number>()
  #until: number

  /** @param now - milliseconds of a clock that never goes back */
  constructor(limits: Pick<GatewaySettings['limits'], 'records' | 'recordsPerCaller'>, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
    this.#until = now() + DAY
  }

  /**
   * Counts a name, once in a day.
   *
   * @param who - puts its record; undefined: callers that have no limit of their own
   * @throws E_ROUTING_RECORDS
   */
  take(who: string | undefined, name: string): void {
    const now = this.#now()
    if (now >= this.#until) {
      this.#names.clear()
      this.#callers.clear()
      this.#until = now + DAY
    }
    if (this.#names.has(name)) return
    const { records, recordsPerCaller } = this.#limits
    const ofCaller = who === undefined ? 0 : (this.#callers.get(who) ?? 0)
    const seconds = Math.ceil((this.#until - now) / 1000)
    if (this.#names.size >= records) throw gatewayErrors.E_ROUTING_RECORDS(seconds, records, 'plugins.gateway.limits.records')
    if (ofCaller >= recordsPerCaller)
      throw gatewayErrors.E_ROUTING_RECORDS(seconds, recordsPerCaller, 'plugins.gateway.limits.recordsPerCaller')
    this.#names.add(name)
    if (who !== undefined) this.#callers.set(who, ofCaller + 1)
  }
}
