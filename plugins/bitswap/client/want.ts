import type { CID } from '../../../core/index.ts'
import { keyOf } from '../wire/message.ts'

export interface Waiter {
  readonly session: Session
  readonly signal: AbortSignal | undefined
  resolve(bytes: Uint8Array): void
  reject(reason: unknown): void
}

/** A block that is looked for, and how far that is. Peers are named by their IDs. */
export class Want {
  readonly key: string
  readonly cid: CID
  readonly waiters = new Set<Waiter>()
  /** Peers that have said that they have it, and were not asked for it yet. */
  readonly holders = new Set<string>()
  /** Peers that have said that they do not have it. */
  readonly refused = new Set<string>()
  /** Peers that were asked for it and let it wait. */
  readonly stalled = new Set<string>()
  /** Peers that were asked for the block and have not answered. */
  readonly sources = new Set<string>()
  /** When it began, or all peers were asked again, in milliseconds. */
  since: number
  isSearched = false
  /** The peer that has it and could not send it over its relay, and when that was, in milliseconds. */
  #lost: { readonly peer: string; readonly at: number } | undefined

  constructor(cid: CID, now: number) {
    this.cid = cid
    this.key = keyOf(cid)
    this.since = now
  }

  /** A peer has it, and could not send it over its relay. */
  lose(peer: string, now: number): void {
    this.#lost = { peer, at: now }
  }

  /** The peer that could not send it, where nobody else was found for so long. */
  lostBy(now: number, time: number): string | undefined {
    return this.#lost !== undefined && !this.isUnderWay && this.holders.size === 0 && now - this.#lost.at >= time
      ? this.#lost.peer
      : undefined
  }

  /** Whether a peer that answers was asked for the block. */
  get isUnderWay(): boolean {
    for (const source of this.sources) if (!this.stalled.has(source)) return true
    return false
  }

  /** The sessions of those who wait. */
  *sessions(): Generator<Session> {
    for (const { session } of this.waiters) yield session
  }

  settle(bytes: Uint8Array): void {
    for (const waiter of this.waiters) waiter.resolve(bytes)
    this.waiters.clear()
  }

  fail(reason: unknown): void {
    for (const waiter of this.waiters) waiter.reject(reason)
    this.waiters.clear()
  }
}

/** Blocks that belong together: which peers had some of them. */
export class Session {
  /** Signals that end waits of it, and are listened to. */
  readonly signals = new WeakSet<AbortSignal>()
  /** Peers in the order in which they gave or had something last, the latest last. */
  readonly peers = new Set<string>()
  /** The waiters of the session, each with the want that it waits for. */
  readonly waiters = new Map<Waiter, Want>()

  found(peer: string): void {
    this.peers.delete(peer)
    this.peers.add(peer)
  }
}
