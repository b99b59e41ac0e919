import type { PeerConnection } from '../../../core/index.ts'

/** Least time between two looks for connections that are too many (go-libp2p 0.33, p2p/net/connmgr). */
const SILENCE = 10_000

/** The marks of the connection manager (`Swarm.ConnMgr`). Where one is 0, connections are not managed (go-libp2p 0.33, p2p/net/connmgr). */
export interface Marks {
  readonly low: number
  readonly high: number
  /** Milliseconds in which a new connection is left alone. */
  readonly grace: number
}

/** Closes connections that are too many: above the high mark, down to the low one, those of the peers that are worth least first. */
export class Trimmer {
  readonly #marks: Marks | undefined
  readonly #silence: number
  readonly #tags = new Map<string, Map<string, number>>()
  readonly #protected = new Map<string, Set<string>>()
  #last = Number.NEGATIVE_INFINITY

  /** @param marks - undefined: nothing is ever closed */
  constructor(marks: Marks | undefined, silence = SILENCE) {
    this.#marks = marks !== undefined && marks.low > 0 && marks.high > 0 ? marks : undefined
    this.#silence = silence
  }

  /** The number of connections at which no more need to be looked for. */
  get enough(): number {
    return this.#marks?.low ?? Number.POSITIVE_INFINITY
  }

  tag(peer: string, name: string, value: number): void {
    const tags = this.#tags.get(peer) ?? new Map<string, number>()
    if (value === 0) tags.delete(name)
    else tags.set(name, value)
    if (tags.size === 0) this.#tags.delete(peer)
    else this.#tags.set(peer, tags)
  }

  protect(peer: string, name: string): void {
    this.#protected.set(peer, (this.#protected.get(peer) ?? new Set()).add(name))
  }

  unprotect(peer: string, name: string): void {
    const names = this.#protected.get(peer)
    names?.delete(name)
    if (names?.size === 0) this.#protected.delete(peer)
  }

  /** Forgets what a peer was worth. */
  forget(peer: string): void {
    this.#tags.delete(peer)
  }

  /** The connections that should be closed now; undefined where it is too early to look again. */
  excess(connections: readonly PeerConnection[], now = Date.now()): PeerConnection[] {
    const marks = this.#marks
    if (marks === undefined || connections.length <= Math.max(marks.low, marks.high) || now - this.#last < this.#silence) return []
    const mayGo = connections.filter(({ peer, openedAt }) => !this.#protected.has(peer) && now - openedAt.getTime() >= marks.grace)
    if (mayGo.length === 0) return []
    this.#last = now
    return mayGo.sort((a, b) => this.#worth(a) - this.#worth(b) || +b.openedAt - +a.openedAt).slice(0, connections.length - marks.low)
  }

  #worth({ peer }: PeerConnection): number {
    return [...(this.#tags.get(peer)?.values() ?? [])].reduce((sum, value) => sum + value, 0)
  }
}
