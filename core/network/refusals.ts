import type { Logger } from '../services/host/logs.ts'

/** How long refusals for one reason are told together, in milliseconds. */
const QUIET = 60_000

/** Reasons that are remembered, of which each names who was refused. */
const MOST_REASONS = 1024

/**
 * The refusals to peers, in the log at the level `warn`: the first time at once, and then at most once a minute with how often it
 * happened since, so that whoever is refused fills no disk.
 */
export class Refusals {
  readonly #log: Pick<Logger, 'warn'>
  readonly #now: () => number
  readonly #told = new Map<string, { at: number; since: number }>()

  constructor(log: Pick<Logger, 'warn'>, now: () => number = Date.now) {
    this.#log = log
    this.#now = now
  }

  /** @param what - of whom, e.g. `a connection of 192.0.2.7` */
  tell(what: string, why: string): void {
    const reason = `refused ${what}: ${why}`
    const before = this.#told.get(reason)
    if (before !== undefined && this.#now() - before.at < QUIET) {
      before.since++
      return
    }
    this.#log.warn(before === undefined || before.since === 0 ? reason : `${reason} (and ${before.since} more since the last such line)`)
    // the one that was told last is the last in the map
    this.#told.delete(reason)
    this.#told.set(reason, { at: this.#now(), since: 0 })
    if (this.#told.size > MOST_REASONS) this.#told.delete(this.#told.keys().next().value!)
  }
}
