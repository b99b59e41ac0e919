import { type CID, type Logger, messageOf, type Network, type RoutedPeer } from '../../core/index.ts'
import type { ContentRouting } from './tokens.ts'

/** Blocks whose providers are searched for at a time, and peers that are dialled for each (boxo, bitswap/client/internal/providerquerymanager). */
const MOST_SEARCHES = 8
const MOST_PROVIDERS = 10

interface Search {
  readonly cid: CID
  readonly signal: AbortSignal
}

/** Searches for peers that have a block, and connects with them: they are asked once they are connected. */
export class Providers {
  readonly #network: Network
  readonly #log: Logger
  readonly #routing: ContentRouting | undefined
  readonly #waiting: Search[] = []
  #running = 0

  constructor(network: Network, routing: ContentRouting | undefined, log: Logger) {
    this.#network = network
    this.#routing = routing
    this.#log = log
  }

  search(cid: CID, signal: AbortSignal): void {
    if (this.#routing === undefined) return
    this.#waiting.push({ cid, signal })
    this.#next()
  }

  #next(): void {
    while (this.#running < MOST_SEARCHES) {
      const search = this.#waiting.shift()
      if (search === undefined) return
      if (search.signal.aborted) continue
      this.#running++
      void this.#run(search).finally(() => {
        this.#running--
        this.#next()
      })
    }
  }

  async #run({ cid, signal }: Search): Promise<void> {
    let dialled = 0
    const dials: Array<Promise<unknown>> = []
    try {
      for await (const event of this.#routing!.findProviders(cid, { signal, count: MOST_PROVIDERS })) {
        if (event.type !== 'provider' || event.provider === undefined) continue
        dials.push(this.#connect(event.provider, signal))
        if (++dialled === MOST_PROVIDERS) break
      }
    } catch (error) {
      if (!signal.aborted) this.#log.debug(`providers of ${cid} cannot be searched for: ${messageOf(error)}`)
    }
    await Promise.all(dials)
  }

  /** One that cannot be reached, or is none, leaves the others. */
  async #connect({ id, addresses }: RoutedPeer, signal: AbortSignal): Promise<void> {
    if (id === this.#network.self) return
    try {
      await this.#network.dial(id, addresses, { signal, identified: false })
    } catch (error) {
      if (!signal.aborted) this.#log.trace(`the provider ${id} cannot be reached: ${messageOf(error)}`)
    }
  }
}
