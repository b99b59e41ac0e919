import { type RoutedPeer } from '../../../core/index.ts'
import { compareDistance, placeOf } from '../../../core/network/distance.ts'

/** The parts that a walk needs. */
interface WalkParts {
  readonly key: Uint8Array
  /** Peers to begin with. */
  readonly seeds: readonly string[]
  /** How many of the closest are asked, and how many at a time. */
  readonly width: number
  readonly atATime: number
  /** Peers that are never asked: the node itself. */
  readonly self: string
  readonly signal: AbortSignal
  idBytes(peer: string): Uint8Array
  /** Asks one peer; ends by itself when `signal` fires. */
  ask(peer: string): AsyncIterable<EngineEvent>
}

/**
 * Kademlia's iterative look-up: asks the peers closest to a key, of those that are known or were told of, until each of the closest has
 * answered. Not only peers closer than who tells of them are asked: in a small network the one that knows may be further away.
 */
export async function* walk(parts: WalkParts): AsyncGenerator<EngineEvent> {
  const { seeds, atATime, signal, ask } = parts
  const candidates = new Candidates(parts)
  for (const seed of seeds) candidates.add(seed)
  const advance = async (iterator: AsyncIterator<EngineEvent>) => ({ iterator, result: await iterator.next() })
  const running = new Map<AsyncIterator<EngineEvent>, ReturnType<typeof advance>>()
  try {
    while (true) {
      signal.throwIfAborted()
      while (running.size < atATime) {
        const peer = candidates.next()
        if (peer === undefined) break
        const iterator = ask(peer)[Symbol.asyncIterator]()
        running.set(iterator, advance(iterator))
      }
      if (running.size === 0) return
      const { iterator, result } = await Promise.race(running.values())
      if (result.done === true) {
        running.delete(iterator)
        continue
      }
      running.set(iterator, advance(iterator))
      const event = result.value
      if (event.type === 'answer') for (const { id } of event.closer) candidates.add(id)
      if (event.type === 'failure') candidates.drop(event.peer)
      yield event
    }
  } finally {
    for (const [iterator, pending] of running) {
      pending.catch(() => {})
      void Promise.resolve(iterator.return?.()).catch(() => {})
    }
  }
}

interface Candidate {
  readonly peer: string
  readonly place: Uint8Array
  isAsked: boolean
}

/** The peers that a walk knows of, the closest first, without those that failed. */
class Candidates {
  readonly #parts: WalkParts
  readonly #target: Uint8Array
  readonly #sorted: Candidate[] = []
  readonly #seen: Set<string>

  constructor(parts: WalkParts) {
    this.#parts = parts
    this.#target = placeOf(parts.key)
    this.#seen = new Set([parts.self])
  }

  add(peer: string): void {
    if (this.#seen.has(peer)) return
    this.#seen.add(peer)
    let place: Uint8Array
    try {
      place = placeOf(this.#parts.idBytes(peer))
    } catch {
      // somebody told of a peer that can be none
      return
    }
    const at = this.#sorted.findIndex(other => compareDistance(this.#target, place, other.place) < 0)
    this.#sorted.splice(at < 0 ? this.#sorted.length : at, 0, { peer, place, isAsked: false })
  }

  /** The closest that was not asked, if it is among the closest of all; it counts as asked. */
  next(): string | undefined {
    const next = this.#sorted.slice(0, this.#parts.width).find(({ isAsked }) => !isAsked)
    if (next !== undefined) next.isAsked = true
    return next?.peer
  }

  drop(peer: string): void {
    const at = this.#sorted.findIndex(candidate => candidate.peer === peer)
    if (at >= 0) this.#sorted.splice(at, 1)
  }
}

/** The result of asking peers. */
export type EngineEvent =
  | { readonly type: 'dialling'; readonly peer: string }
  | { readonly type: 'asking'; readonly peer: string }
  | { readonly type: 'failure'; readonly peer: string; readonly message: string }
  | {
      readonly type: 'answer'
      readonly peer: string
      readonly closer: readonly RoutedPeer[]
      readonly providers: readonly RoutedPeer[]
      readonly record: { readonly key: Uint8Array; readonly value: Uint8Array } | undefined
    }
