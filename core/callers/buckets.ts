export interface Rate {
  /** Requests that a caller may make in a second, on average. */
  readonly perSecond: number
  /** Requests that it may make at once after a time of silence. */
  readonly burst: number
  /** Callers that are remembered; of more, those that were silent the longest have a full bucket again. */
  readonly callers: number
}

interface Bucket {
  tokens: number
  /** When the tokens were counted, in milliseconds. */
  at: number
}

/** One bucket of tokens a caller: each request takes one, and they come back at a steady rate. */
export class Buckets {
  readonly #rate: Rate
  readonly #now: () => number
  /** The one that was used the longest ago first. */
  readonly #buckets = new Map<string, Bucket>()

  /** @param now - milliseconds of a clock that never goes back */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate
    this.#now = now
  }

  /** @returns seconds after which there is a token; 0 where one was taken */
  take(caller: string): number {
    const { perSecond, burst, callers } = this.#rate
    const now = this.#now()
    const bucket = this.#buckets.get(caller) ?? { tokens: burst, at: now }
    this.#buckets.delete(caller)
    this.#buckets.set(caller, bucket)
    if (this.#buckets.size > callers) this.#buckets.delete(this.#buckets.keys().next().value!)
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perSecond
    bucket.tokens -= 1
    return 0
  }
}
