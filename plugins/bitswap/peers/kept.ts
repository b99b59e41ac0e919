import type { Network } from '../../../core/index.ts'

/** The name under which the connections of peers are kept, and how long after the last block, in milliseconds. */
const [NAME, TIME] = ['bitswap', 60_000]

/** The worth of a peer that was sent blocks lately, where connections are too many (boxo, bitswap/server/internal/decision). */
const SERVED = 10

type Connections = Pick<Network, 'protect' | 'tag' | 'unprotect'>

/**
 * Peers that blocks came from lately stay connected, and those that blocks went to go after others: a fetch whose connection is closed
 * for being one too many may find nobody else.
 */
export class KeptPeers {
  readonly #network: Connections
  readonly #came = new Map<string, number>()
  readonly #went = new Map<string, number>()

  constructor(network: Connections) {
    this.#network = network
  }

  /** A block came from a peer. */
  came(id: string, now = Date.now()): void {
    if (!this.#came.has(id)) this.#network.protect(id, NAME)
    this.#came.set(id, now)
  }

  /** Blocks went to a peer. */
  went(id: string, now = Date.now()): void {
    if (!this.#went.has(id)) this.#tag(id, SERVED)
    this.#went.set(id, now)
  }

  /** Forgets a peer that is not connected any more. */
  forget(id: string): void {
    if (this.#came.delete(id)) this.#network.unprotect(id, NAME)
    if (this.#went.delete(id)) this.#tag(id, 0)
  }

  /** To be called every now and then: lets go of those that nothing came from or went to for a while. */
  tick(now = Date.now()): void {
    for (const [id, at] of this.#came) {
      if (now - at < TIME) continue
      this.#came.delete(id)
      this.#network.unprotect(id, NAME)
    }
    for (const [id, at] of this.#went) {
      if (now - at < TIME) continue
      this.#went.delete(id)
      this.#tag(id, 0)
    }
  }

  #tag(id: string, value: number): void {
    this.#network.tag(id, NAME, value).catch(() => {})
  }
}
