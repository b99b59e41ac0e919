import { messageOf, networkErrors } from '../../../core/index.ts'
import { type AddressFailure, causeOf, dialMessage } from './error.ts'
import type { Ranked } from './rank.ts'

export interface RaceParts<C> {
  /** When each of some addresses is to be dialled. */
  rank(addresses: readonly string[]): readonly Ranked[]
  /** Why an address is not dialled at all. */
  refusal(address: string): string | undefined
  /** Dials one address. `begun` is called when it has found a place to do so. */
  dial(address: string, signal: AbortSignal, begun: () => void): Promise<C>
  /** Called when it is over, before anybody is told. */
  over(): void
}

/**
 * The dial of a peer by all of its addresses: one is begun after the other, at once where none is under way. The first connection that is secured
 * wins, and all other dials end.
 */
export class Race<C> {
  readonly #peer: string
  readonly #parts: RaceParts<C>
  readonly #known = new Set<string>()
  readonly #failures: AddressFailure[] = []
  /** Addresses that wait for their turn, the next one first. */
  #queue: Ranked[] = []
  readonly #running = new Set<string>()
  /** Those of them that have no place yet: until they have, no more are begun. */
  #waiting = 0
  #isBeginning = false
  readonly #end = new AbortController()
  readonly #result = Promise.withResolvers<C>()
  /** Names that are still being resolved. */
  #resolving = 0
  /** The delay of the addresses that were begun last, and of those that the timer is for. */
  #at = 0
  #due = 0
  #timer: NodeJS.Timeout | undefined

  constructor(peer: string, parts: RaceParts<C>) {
    this.#peer = peer
    this.#parts = parts
    this.#result.promise.catch(() => {})
  }

  get result(): Promise<C> {
    return this.#result.promise
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** What each address said so far; of one that has said nothing, that time is over. */
  get failures(): readonly AddressFailure[] {
    const silent = [...this.#running, ...this.#queue.map(({ address }) => address)]
    return [...this.#failures, ...silent.map(address => ({ address, cause: 'the time for the dial was over' }))]
  }

  /** Dials these as well, as far as they are new. */
  add(addresses: readonly string[]): void {
    if (this.signal.aborted) return
    const fresh = [...new Set(addresses)].filter(address => !this.#known.has(address))
    const good = fresh.filter(address => {
      this.#known.add(address)
      const cause = this.#parts.refusal(address)
      if (cause !== undefined) this.#failures.push({ address, cause })
      return cause === undefined
    })
    const added = this.#parts.rank(good).map(({ address, delay }) => ({ address, delay: this.#at + delay }))
    this.#queue = [...this.#queue, ...added].sort((a, b) => a.delay - b.delay)
    this.#schedule()
  }

  /** Dials what a name leads to, once that is known, as well. */
  async addLater(name: string, resolve: (signal: AbortSignal) => Promise<readonly string[]>): Promise<void> {
    this.#resolving++
    let found: readonly string[] = []
    try {
      found = await resolve(this.signal)
    } catch (error) {
      this.#failures.push({ address: name, cause: messageOf(error) })
    }
    this.#resolving--
    this.add(found)
  }

  /** Ends all dials. */
  stop(why: Error): void {
    if (this.signal.aborted) return
    this.#finish(why)
    this.#result.reject(why)
  }

  #schedule(): void {
    const [next] = this.#queue
    if (next === undefined) {
      if (this.#running.size + this.#resolving === 0) this.stop(this.#failed())
    } else if (this.#waiting > 0) return
    else if (this.#running.size === 0) this.#begin()
    else if (this.#timer === undefined || next.delay < this.#due) {
      clearTimeout(this.#timer)
      this.#due = next.delay
      this.#timer = setTimeout(() => this.#begin(), next.delay - this.#at)
    }
  }

  /** Dials the next address, and those that have their turn at the same time. */
  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#at = this.#queue[0]!.delay
    this.#isBeginning = true
    while (this.#waiting === 0 && this.#queue[0]?.delay === this.#at) void this.#run(this.#queue.shift()!.address)
    this.#isBeginning = false
    this.#schedule()
  }

  async #run(address: string): Promise<void> {
    this.#running.add(address)
    let isWaiting = true
    this.#waiting++
    const begun = () => {
      if (!isWaiting) return
      isWaiting = false
      this.#waiting--
      if (!this.#isBeginning) this.#schedule()
    }
    try {
      const connection = await this.#parts.dial(address, this.signal, begun)
      this.#finish(new Error('another address of the peer answered first'))
      this.#result.resolve(connection)
    } catch (error) {
      if (this.signal.aborted) return
      this.#running.delete(address)
      this.#failures.push({ address, cause: causeOf(error, address) })
      if (isWaiting) begun()
      else this.#schedule()
    }
  }

  #finish(why: Error): void {
    clearTimeout(this.#timer)
    this.#parts.over()
    this.#end.abort(why)
  }

  #failed(): Error {
    const dialled = [...this.#known].some(address => this.#parts.refusal(address) === undefined)
    const summary = dialled ? 'all dials failed' : this.#known.size > 0 ? 'no good addresses' : 'no addresses'
    return networkErrors.E_DIAL(dialMessage(this.#peer, summary, this.#failures))
  }
}
