import type { CID } from '../../../core/index.ts'
import { type AskedPeer, PeerAsks } from '../client/asks.ts'
import { PeerWants, type WantIndex } from '../server/peer-wants.ts'
import type { BitswapSettings } from '../settings.ts'
import { Outbox, type OutboxParts } from './outbox.ts'

/** A peer that is connected and speaks bitswap: what it is asked for, what it wants, and what it is to be sent. */
export class BitswapPeer implements AskedPeer {
  readonly id: string
  readonly asks: PeerAsks
  readonly wants: PeerWants
  /** Bytes of its messages that are not whole yet. */
  partial = 0
  /** Its last messages that had nothing in them. */
  empty = 0
  /** Whether nothing of it counts any more. */
  isGone = false
  /** Failures to send since it was connected. */
  failures = 0
  /** Whether it is reached over relays alone that allow little. */
  isLimited = false
  readonly #settings: BitswapSettings
  readonly #outbox: Outbox
  #room: PromiseWithResolvers<void> | undefined

  constructor(id: string, index: WantIndex, parts: Omit<OutboxParts, 'peer' | 'wants' | 'answered'>) {
    this.id = id
    this.#settings = parts.settings
    this.asks = new PeerAsks(parts.settings.maxAsked)
    this.wants = new PeerWants(index, parts.settings.maxWants)
    this.#outbox = new Outbox({ ...parts, peer: id, wants: this.wants, answered: () => this.#answered() })
  }

  ask(cid: CID, kind: 'block' | 'have'): void {
    this.#outbox.ask(cid, kind)
  }

  cancel(cid: CID, isLazy?: boolean): void {
    this.#outbox.cancel(cid, isLazy)
  }

  /** There may be something to answer. */
  wake(): void {
    this.#outbox.wake()
  }

  /** Resolves when more wants of the peer may be taken in; undefined where that is so already. */
  room(): Promise<void> | undefined {
    if (this.wants.queued < this.#settings.maxQueued) return undefined
    this.#room ??= Promise.withResolvers()
    return this.#room.promise
  }

  async stop(): Promise<void> {
    this.isGone = true
    this.wants.clear()
    this.#answered()
    await this.#outbox.stop()
  }

  #answered(): void {
    if (this.#room === undefined || this.wants.queued > this.#settings.maxQueued / 2) return
    this.#room.resolve()
    this.#room = undefined
  }
}
