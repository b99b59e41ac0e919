import type { CID } from '../../../core/index.ts'
import { keyOf } from '../wire/message.ts'
import { type AskedPeer, Delays, rank } from './asks.ts'
import { Session, type Waiter, Want } from './want.ts'

/** A peer of whose late answers so many were blocks is asked for the next one without being asked first whether it has it. */
const LIKELY = 0.5

/** Peers that are asked for a block at once where nothing is known of who has it: more are asked whether they have it. */
const FEW_PEERS = 1

/** Wants that are passed over, as the peers that may have them have no room, until others are not looked at any more. */
const MOST_LEFT = 64

interface WantsParts {
  readonly peers: ReadonlyMap<string, AskedPeer>
  readonly answerTimeout: number
  readonly rebroadcast: number
  readonly providerDelay: number
  readonly now: () => number
  /** Looks for other peers that have it. */
  search(cid: CID, signal: AbortSignal): void
  /** The error of a block that only this peer has, over a relay. */
  lost(peer: string): Error
}

/** The wants of this node, and the peers that are asked. */
export class Wants {
  readonly #parts: WantsParts
  readonly #all = new Map<string, Want>()
  /** The wants for which no peer has room. */
  readonly #waiting = new Set<Want>()
  readonly #sessions = new WeakMap<object, Session>()
  readonly #searches = new Map<Want, AbortController>()
  readonly #delays = new Delays()

  constructor(parts: WantsParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#all.size
  }

  cids(): CID[] {
    return Array.from(this.#all.values(), ({ cid }) => cid)
  }

  has(key: string): boolean {
    return this.#all.has(key)
  }

  /** @param group - of what belongs to one session. Default: `signal` @throws the reason of `signal` */
  async get(cid: CID, signal?: AbortSignal, group: object | undefined = signal): Promise<Uint8Array> {
    signal?.throwIfAborted()
    const session = this.#session(group)
    const key = keyOf(cid)
    const want = this.#all.get(key) ?? new Want(cid, this.#parts.now())
    const isNew = !this.#all.has(key)
    if (isNew) this.#all.set(key, want)
    const bytes = new Promise<Uint8Array>((resolve, reject) => {
      const waiter: Waiter = {
        session,
        signal,
        resolve(found) {
          session.waiters.delete(waiter)
          resolve(found)
        },
        reject(reason) {
          session.waiters.delete(waiter)
          reject(reason)
        }
      }
      want.waiters.add(waiter)
      session.waiters.set(waiter, want)
      if (signal !== undefined) this.#leaveBy(signal, session)
    })
    if (isNew) this.#schedule(want)
    return bytes
  }

  /** A block is here. `from` is the peer that sent it, if one did. @returns whether somebody waited for it */
  found(key: string, bytes: Uint8Array, from?: string): boolean {
    const want = this.#all.get(key)
    if (want === undefined) return false
    if (from !== undefined) for (const session of want.sessions()) session.found(from)
    this.#end(want, from)
    want.settle(bytes)
    this.#pump()
    return true
  }

  /** A peer says whether it has a block. */
  presence(peer: AskedPeer, key: string, have: boolean): void {
    const want = this.#all.get(key)
    const ask = peer.asks.remove(key)
    if (want === undefined) return
    if (have) {
      want.refused.delete(peer.id)
      if (ask?.kind === 'block') {
        peer.asks.add(want, 'block', ask.at)
        return
      }
      want.holders.add(peer.id)
      for (const session of want.sessions()) session.found(peer.id)
    } else {
      if (ask?.kind === 'block') peer.asks.answered(false)
      this.#lose(want, peer, ask?.kind)
      want.holders.delete(peer.id)
      want.sources.delete(peer.id)
      want.refused.add(peer.id)
    }
    this.#schedule(want)
    this.#pump()
  }

  /** A peer can be asked from now on. */
  added(peer: AskedPeer): void {
    for (const want of this.#all.values()) {
      if (!peer.asks.hasRoom('have')) return
      if (!want.isUnderWay) this.#schedule(want)
    }
  }

  /** A peer cannot be asked any more: what it was asked for goes to others. */
  removed(peer: AskedPeer): void {
    const open = [...peer.asks.all]
    for (const { want } of open) peer.asks.remove(want.key)
    for (const { want, kind } of open) this.#lose(want, peer, kind)
    for (const want of this.#all.values()) {
      want.holders.delete(peer.id)
      want.refused.delete(peer.id)
      want.stalled.delete(peer.id)
      want.sources.delete(peer.id)
    }
    for (const { want } of open) if (this.#all.get(want.key) === want) this.#schedule(want)
  }

  /** To be called every now and then: sees to what peers let wait. */
  tick(): void {
    const { now, answerTimeout, rebroadcast, providerDelay, search, lost } = this.#parts
    const time = now()
    const wasHeldUp = this.#delays.wasHeldUp(time)
    for (const peer of this.#parts.peers.values()) {
      const patience = wasHeldUp ? answerTimeout : peer.asks.patience(answerTimeout)
      for (const { want, kind, at } of [...peer.asks.all]) {
        if (time - Math.max(at, peer.asks.lastHeard) < (kind === 'block' ? patience : answerTimeout)) continue
        if (kind === 'block') {
          want.stalled.add(peer.id)
          peer.asks.isStalled = true
          if (!want.isUnderWay) this.#schedule(want)
        } else {
          peer.asks.remove(want.key)
          want.refused.add(peer.id)
        }
      }
    }
    const hasLimited = [...this.#parts.peers.values()].some(({ isLimited }) => isLimited)
    for (const want of this.#all.values()) {
      const age = time - want.since
      if (!want.isUnderWay && !want.isSearched && age >= providerDelay) {
        want.isSearched = true
        const controller = new AbortController()
        this.#searches.set(want, controller)
        search(want.cid, controller.signal)
      }
      if (hasLimited && want.isSearched && !want.isUnderWay) this.#askLast(want)
      const loser = want.lostBy(time, 2 * answerTimeout)
      if (loser !== undefined) this.#fail(want, lost(loser))
      if (age < rebroadcast || loser !== undefined) continue
      want.since = time
      want.isSearched = false
      want.refused.clear()
      want.stalled.clear()
      this.#schedule(want)
    }
    this.#pump()
  }

  /** Everybody who waits is told `reason`. */
  stop(reason: unknown): void {
    for (const want of [...this.#all.values()]) this.#fail(want, reason)
  }

  #fail(want: Want, reason: unknown): void {
    this.#end(want)
    want.fail(reason)
  }

  #lose(want: Want, peer: AskedPeer, kind: 'block' | 'have' | undefined): void {
    if (kind === 'block' && peer.isLimited) want.lose(peer.id, this.#parts.now())
  }

  #session(group: object | undefined): Session {
    const known = group === undefined ? undefined : this.#sessions.get(group)
    if (known !== undefined) return known
    const session = new Session()
    if (group !== undefined) this.#sessions.set(group, session)
    return session
  }

  /** Ends the waits of a session that have the signal when it fires: one listener does for all of them. */
  #leaveBy(signal: AbortSignal, session: Session): void {
    if (session.signals.has(signal)) return
    session.signals.add(signal)
    signal.addEventListener('abort', () => this.#leave(session, signal), { once: true })
  }

  #leave(session: Session, signal: AbortSignal): void {
    for (const [waiter, want] of session.waiters) {
      if (waiter.signal !== signal) continue
      want.waiters.delete(waiter)
      waiter.reject(signal.reason)
      if (want.waiters.size === 0) this.#end(want)
    }
    this.#pump()
  }

  /** It is not wanted any more: peers that were asked are told. */
  #end(want: Want, from?: string): void {
    this.#all.delete(want.key)
    this.#waiting.delete(want)
    this.#searches.get(want)?.abort()
    this.#searches.delete(want)
    for (const peer of this.#parts.peers.values()) {
      const ask = peer.asks.remove(want.key)
      const knows = peer.id === from || want.refused.has(peer.id) || want.holders.has(peer.id)
      if (ask !== undefined || knows) peer.cancel(want.cid, peer.id === from || ask?.kind !== 'block')
    }
  }

  /** Asks for what waits, as far as there is room. */
  #pump(): void {
    let left = MOST_LEFT
    for (const want of this.#waiting) {
      this.#schedule(want)
      if (this.#waiting.has(want) && --left === 0) return
    }
  }

  #schedule(want: Want): void {
    if (want.isUnderWay || this.#place(want)) this.#waiting.delete(want)
    else this.#waiting.add(want)
  }

  /** Asks whoever is most likely to have it, or everybody whether they do. @returns false where those who may have it have no room */
  #place(want: Want): boolean {
    const { peers } = this.#parts
    const untried = (id: string) => peers.get(id)?.isLimited === false && !want.refused.has(id) && !want.sources.has(id)
    if (want.holders.size > 0) return this.#askOne(want, want.holders)
    const members = [...want.sessions()].flatMap(session => [...session.peers].filter(untried))
    if (members.length > 0) return this.#askOne(want, members)
    const others = [...peers.values()].filter(({ id }) => untried(id))
    const likely = others.length > FEW_PEERS ? others.filter(({ asks }) => asks.hits >= LIKELY) : others
    if (likely.length > 0)
      return this.#askOne(
        want,
        likely.map(({ id }) => id)
      )
    for (const { peers: members } of want.sessions()) this.#askLimited(want, members)
    let isAsked = others.length === 0
    for (const peer of others) {
      const wasAsked = peer.asks.of(want) !== undefined
      if (!wasAsked && peer.asks.hasRoom('have')) {
        peer.asks.add(want, 'have', this.#parts.now())
        peer.ask(want.cid, 'have')
        isAsked = true
      } else isAsked ||= wasAsked
    }
    return isAsked
  }

  /** Asks those that are reached over relays alone, once all others have said that they do not have it. */
  #askLast(want: Want): void {
    const { peers } = this.#parts
    if ([...peers.values()].every(({ id, isLimited }) => isLimited || want.refused.has(id))) this.#askLimited(want, peers.keys())
  }

  /** Asks those of some peers that are reached over relays alone whether they have it. */
  #askLimited(want: Want, ids: Iterable<string>): void {
    for (const id of ids) {
      const peer = this.#parts.peers.get(id)
      if (peer?.isLimited !== true || [want.refused, want.sources, want.holders].some(ids => ids.has(id))) continue
      if (peer.asks.of(want) !== undefined || !peer.asks.hasRoom('have')) continue
      peer.asks.add(want, 'have', this.#parts.now())
      peer.ask(want.cid, 'have')
    }
  }

  /** Asks the peer with room that is asked for the fewest blocks; one that lets others wait only where there is no other. */
  #askOne(want: Want, ids: Iterable<string>): boolean {
    let best: AskedPeer | undefined
    for (const id of ids) {
      const peer = this.#parts.peers.get(id)
      if (peer === undefined || !peer.asks.hasRoom('block')) continue
      const isBetter = best === undefined || rank(peer) < rank(best)
      if (isBetter) best = peer
    }
    if (best === undefined) return false
    want.holders.delete(best.id)
    want.sources.add(best.id)
    best.asks.add(want, 'block', this.#parts.now())
    best.ask(want.cid, 'block')
    return true
  }
}
