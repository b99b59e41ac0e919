import type { Logger } from '../services/host/logs.ts'

/** How long refusals for one reason are told together, in milliseconds. */
const QUIET = 60_000

/** Lines for one reason in that time; how often there would have been others is told at its end. */
export const MOST_NAMED = 16

/** The refusals for one reason since a time. */
interface Told {
  readonly lines: Set<string>
  /** Those without a line of their own. */
  more: number
}

/**
 * The refusals to peers, in the log at the level `warn`: the first of each at once, and a minute later how many more there were, so that whoever is
 * refused, by one name or by ever new ones, fills no disk.
 */
export class Refusals {
  readonly #log: Pick<Logger, 'warn'>
  readonly #did: string
  readonly #quiet: number
  readonly #reasons = new Map<string, Told>()

  /**
   * @param did - what was done to who is named
   * @param quiet - how long refusals for one reason are told together, in milliseconds
   */
  constructor(log: Pick<Logger, 'warn'>, did = 'refused', quiet = QUIET) {
    this.#log = log
    this.#did = did
    this.#quiet = quiet
  }

  /**
   * @param what - of whom, e.g. `a connection of 192.0.2.7`
   * @param reason - one of few, where `why` has words of the peer's making
   */
  tell(what: string, why: string, reason = why): void {
    const told = this.#reasons.get(reason) ?? this.#begin(reason)
    const line = `${this.#did} ${what}: ${why}`
    if (told.lines.has(line) || told.lines.size >= MOST_NAMED) told.more++
    else {
      told.lines.add(line)
      this.#log.warn(line)
    }
  }

  #begin(reason: string): Told {
    const told: Told = { lines: new Set(), more: 0 }
    this.#reasons.set(reason, told)
    setTimeout(() => this.#end(reason, told), this.#quiet).unref()
    return told
  }

  #end(reason: string, { more }: Told): void {
    this.#reasons.delete(reason)
    if (more > 0) this.#log.warn(`${this.#did} ${more} more within ${this.#quiet / 1000} s: ${reason}`)
  }
}
