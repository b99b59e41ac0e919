import type { Logger, Logs } from '../services/host/logs.ts'
import { Buckets } from './buckets.ts'

/** The subsystem of the log with a line for each refusal. It is written from the level `warn` on where nothing else is said of it. */
export const AUDIT = 'audit'

/** Lines that are written at once, and how many more a second: whoever is turned away again and again fills no disk. */
const LINES = { burst: 1000, perSecond: 20, callers: 1 }
/** Characters of what a caller says of itself. */
const MOST = 256

/** The members of an audit line about a refusal. */
export interface Refused {
  readonly path: string
  readonly why: string
  readonly address?: string | undefined
  readonly name?: string | undefined
  readonly transport?: string | undefined
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

/** Tells of who is turned away: what was asked for, from where, and why. No secret is among it. */
export class Audit {
  readonly #log: Pick<Logger, 'warn' | 'error'>
  readonly #buckets: Buckets
  #left = 0

  constructor(logs: Pick<Logs, 'get'>, now?: () => number) {
    this.#log = logs.get(AUDIT)
    this.#buckets = new Buckets(LINES, now)
  }

  /** Beyond a rate lines are counted and not written; the next one says how many. */
  refused(about: Refused, what = 'a request was turned away'): void {
    if (this.#buckets.take('') > 0) {
      this.#left++
      return
    }
    const fields = Object.entries(about).filter(([, value]) => value !== undefined)
    const told = Object.fromEntries(fields.map(([key, value]) => [key, String(value).slice(0, MOST)]))
    this.#log.warn(this.#left === 0 ? told : { ...told, leftOut: this.#left }, what)
    this.#left = 0
  }

  /** Tells of a fault in what says who may ask. */
  failed(why: string, what: string): void {
    this.#log.error({ why }, what)
  }
}
