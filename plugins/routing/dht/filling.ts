import { type Logger, messageOf } from '../../../core/index.ts'
import { Latest } from './latest.ts'
import type { EngineEvent } from './walk.ts'

/** How long a peer that was asked for neighbours has told of them, in milliseconds. */
const FRESH = 60_000

/** Peers of which is remembered that they were asked. */
const MOST_ASKED = 256

interface FillingParts {
  /** A table of more peers gets others by what the node looks for. */
  readonly few: number
  /** Peers in the table. */
  size(): number
  /** Asks the peers of the table, and those that they tell of, for the neighbours of this node. */
  walk(signal: AbortSignal): AsyncIterable<EngineEvent>
  readonly log: Logger
}

/** Looks for the neighbours of this node as soon as a peer comes into a table that has few: by one peer it gets to know its network. */
export class Filling {
  readonly #parts: FillingParts
  readonly #over = new AbortController()
  readonly #asked = new Latest<number>(MOST_ASKED)
  #isRunning = false
  #isDue = false

  constructor(parts: FillingParts) {
    this.#parts = parts
  }

  /** A peer has come into the table. */
  came(peer: string): void {
    const asked = this.#asked.get(peer)
    if (asked !== undefined && performance.now() - asked < FRESH) return
    this.#isDue = true
    if (!this.#isRunning) void this.#run()
  }

  stop(): void {
    this.#over.abort()
  }

  async #run(): Promise<void> {
    const { few, size, walk, log } = this.#parts
    const { signal } = this.#over
    this.#isRunning = true
    while (this.#isDue && size() <= few && !signal.aborted) {
      this.#isDue = false
      try {
        for await (const { type, peer } of walk(signal)) if (type === 'asking') this.#asked.set(peer, performance.now())
      } catch (error) {
        if (!signal.aborted) log.debug(`neighbours were not looked for: ${messageOf(error)}`)
      }
    }
    this.#isRunning = false
  }
}
