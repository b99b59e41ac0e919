import { DAG_PB, RAW } from './cid/codes.ts'

/** Milliseconds of work after which others get their turn. */
const TURN_MS = 10
/** The same of a work that begins while others wait: hundreds that begin at once let what is short in between. */
const FIRST_MS = 1

/** Milliseconds for which one work kept all others waiting, as what cannot be done in pieces does. */
const LONG_MS = 50
/** Rounds of the event loop behind that: what is short takes several, from its connection to its answer. */
const ROUNDS = 8

/** Long works that wait for their turn, in the order in which they came: those that had one, and those that never had. */
const waiting: Array<() => void> = []
const fresh: Array<() => void> = []
let lastWasFresh = false
/** Whether the next turn is on its way, also where nobody waits for it yet. */
let isPlanned = false

/** One at a time: hundreds that went on in one round of the event loop would hold up all that is short. */
function next(): void {
  // by turns, so that what is nearly over does not wait for all that goes on for long, nor those for ever
  lastWasFresh = fresh.length > 0 && (!lastWasFresh || waiting.length === 0)
  const go = (lastWasFresh ? fresh : waiting).shift()
  isPlanned = go !== undefined
  if (go === undefined) return
  go()
  const began = performance.now()
  setImmediate(() => pass(performance.now() - began > LONG_MS ? ROUNDS : 1))
}

function pass(rounds: number): void {
  if (rounds > 1) setImmediate(() => pass(rounds - 1))
  else next()
}

/**
 * Turns of the event loop in the middle of long work, so that other calls go on, and the end of the call's time, a caller that leaves and a
 * signal to stop are seen. Work on blocks at hand waits for nothing outside the process, so it comes to none by itself.
 */
export class Turns {
  readonly #signal: AbortSignal | undefined
  #since = beginning()
  #isFresh = true

  /** @param signal - ends the work */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** Whether the work went on for so long that {@link take} should be waited for. */
  get due(): boolean {
    return performance.now() - this.#since > TURN_MS
  }

  /** The work begins anew, as the event loop went on by itself. */
  protected begin(): void {
    this.#since = beginning()
  }

  /** @throws the signal's reason */
  async take(): Promise<void> {
    await new Promise<void>(resolve => {
      ;(this.#isFresh ? fresh : waiting).push(resolve)
      this.#isFresh = false
      if (!isPlanned) setImmediate(next)
      isPlanned = true
    })
    this.#signal?.throwIfAborted()
    this.#since = performance.now()
  }
}

/** Since when a work that begins now counts: its first turn is short where others wait. */
function beginning(): number {
  return performance.now() - (waiting.length + fresh.length > 0 ? TURN_MS - FIRST_MS : 0)
}

/**
 * Turns between the messages of a stream. Those that were read at once follow each other without one otherwise, and those that come now and then
 * have no turn to wait for.
 */
export class StreamTurns extends Turns {
  /** Fires in the event loop's next round. */
  #round: NodeJS.Immediate | undefined

  override get due(): boolean {
    if (this.#round !== undefined) return super.due
    this.begin()
    this.#round = setImmediate(() => {
      this.#round = undefined
    })
    return false
  }
}

/** Bytes of a block from which on it is taken apart in a turn of its own: of a folder, and of other codecs, of which each byte may be a value. */
const LONG_FOLDER = 524_288
const LONG_VALUE = 65_536

/**
 * A turn before a block is taken apart, as that cannot be done in pieces: hundreds of callers who name the same one come one after the other, with
 * what is short in between, and those who have left do not come at all. Undefined for a block that is read in no time.
 *
 * @throws the signal's reason
 */
export function turnBefore(codec: number, { length }: Uint8Array, signal?: AbortSignal): Promise<void> | undefined {
  if (codec === RAW || length < (codec === DAG_PB ? LONG_FOLDER : LONG_VALUE)) return undefined
  return new Turns(signal).take()
}
