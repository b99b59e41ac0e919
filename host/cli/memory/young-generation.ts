import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * How far each half of V8's young generation may grow, in bytes. One of 1 MiB is collected so often that requests take a quarter longer, and
 * a start 30 ms; the 32 MiB that it comes to by itself make requests a tenth faster, and a daemon larger by a third.
 */
const ENOUGH = 4 << 20
/** So little is collected sooner by one thread than others are woken for it, and need not be collected before it is full. */
const BY_ITSELF = ['--no-parallel-scavenge', '--no-minor-gc-task']

interface YoungGenerationOptions {
  /** Bytes of both halves together. */
  size?(): number
  setFlag?(flag: string): void
}

/** Holds the young generation of this process's heap to a size. V8 takes its limit at the start alone, but asks at each growth by how much. */
export class YoungGeneration {
  readonly #options: Required<YoungGenerationOptions>
  readonly #collections = new PerformanceObserver(() => this.look())

  constructor({ size = youngBytes, setFlag = setFlagsFromString }: YoungGenerationOptions = {}) {
    this.#options = { size, setFlag }
    for (const flag of BY_ITSELF) setFlag(flag)
    this.letGrow()
  }

  /** Lets it grow again, for when it has been made small. */
  letGrow(): void {
    this.#options.setFlag('--semi-space-growth-factor=2')
    this.#collections.observe({ entryTypes: ['gc'] })
    this.look()
  }

  /** Called behind each collection, until it is large enough. */
  look(): void {
    if (this.#options.size() < 2 * ENOUGH) return
    this.#options.setFlag('--semi-space-growth-factor=1')
    this.#collections.disconnect()
  }
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
