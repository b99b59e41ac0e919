import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { v8Gc } from './v8-gc.ts'

const EVERY_MS = 1000
/**
 * Looks in a row at which the event loop had next to nothing to do, behind which the process counts as being at rest. A short pause between
 * requests is not worth a collection: it takes compiled code with it, which depends on objects that only requests have, and the next 20,000
 * requests cost twice as much.
 */
const QUIET_FOR = 4
const NEXT_TO_NOTHING = 0.02
/** Milliseconds of work behind which there is something worth collecting. */
const WORTH_MS = 200
/** The largest heap that is collected, in bytes: a larger one would keep a request waiting that comes at that moment. */
const LARGEST_HEAP = 256 << 20

interface IdleCollectionOptions {
  /** How busy the event loop has been since the time of `before`. */
  utilization?(now: EventLoopUtilization, before: EventLoopUtilization): EventLoopUtilization
  collect?(): void
  heapUsed?(): number
  /** Called before memory is given back. */
  beforeCollected?(): void
  /** Called when memory was given back. */
  onCollected?(): void
}

/**
 * Watches a process of its own, such as a daemon's, and gives memory back when its work is over: after much work V8 keeps three times what
 * is in use. Does nothing while there is work.
 */
export class IdleCollection {
  readonly #options: Required<IdleCollectionOptions>
  readonly #timer: NodeJS.Timeout
  #before = performance.eventLoopUtilization()
  #quiet = 0
  #worked = 0

  constructor({
    utilization = performance.eventLoopUtilization,
    collect = v8Gc({ type: 'major', flavor: 'last-resort' }),
    heapUsed = () => getHeapStatistics().used_heap_size,
    beforeCollected = () => {},
    onCollected = () => {}
  }: IdleCollectionOptions = {}) {
    this.#options = { utilization, collect, heapUsed, beforeCollected, onCollected }
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref()
  }

  /** Called every second. */
  look(): void {
    const now = performance.eventLoopUtilization()
    const { active, utilization } = this.#options.utilization(now, this.#before)
    this.#before = now
    this.#worked += active
    this.#quiet = utilization < NEXT_TO_NOTHING ? this.#quiet + 1 : 0
    if (this.#quiet < QUIET_FOR || this.#worked < WORTH_MS) return
    this.#worked = 0
    this.#options.beforeCollected()
    if (this.#options.heapUsed() > LARGEST_HEAP) return
    this.#options.collect()
    this.#options.onCollected()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
