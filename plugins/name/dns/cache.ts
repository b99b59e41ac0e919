import type { TxtResolver } from '../../../core/index.ts'
import type { Answer } from './message.ts'

/** Somebody who knows the texts of domains, and for how long they are good. */
export interface Source {
  answer(domain: string, options: { readonly signal: AbortSignal }): Promise<Answer>
}

export interface CacheLimits {
  /** Domains; 0: none. The least recently used is given up first. */
  readonly most: number
  /** Milliseconds that an answer is remembered whatever it says; undefined: as long as it says. */
  readonly longest: number | undefined
}

/** The answers of a resolver, each for as long as it says. That a domain has no texts is asked for again each time, as in the reference. */
export class CachedResolver implements TxtResolver {
  readonly #source: Source
  readonly #limits: CacheLimits
  readonly #now: () => number
  readonly #answers = new Map<string, { readonly texts: readonly string[]; readonly end: number }>()

  constructor(source: Source, limits: CacheLimits, now: () => number = () => performance.now()) {
    this.#source = source
    this.#limits = limits
    this.#now = now
  }

  async texts(domain: string, options: { readonly signal: AbortSignal }): Promise<readonly string[]> {
    const key = domain.toLowerCase()
    const known = this.#answers.get(key)
    this.#answers.delete(key)
    if (known !== undefined && known.end > this.#now()) {
      this.#answers.set(key, known)
      return known.texts
    }
    const { texts, ttl } = await this.#source.answer(domain, options)
    const { most, longest = Number.POSITIVE_INFINITY } = this.#limits
    const time = Math.min(ttl * 1000, longest)
    if (texts.length === 0 || time <= 0 || most === 0) return texts
    if (this.#answers.size >= most) this.#answers.delete(this.#answers.keys().next().value!)
    this.#answers.set(key, { texts, end: this.#now() + time })
    return texts
  }
}
