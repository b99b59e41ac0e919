import { randomUUID } from 'node:crypto'
import { type CID, Collector, type Lease, type Startable, WriteBarrier } from 'holdfast'

/** Keeps what is on somebody's shelf. */
export class Shelf implements Startable {
  readonly #collector: Collector
  readonly #barrier: WriteBarrier
  readonly #kept = new Map<string, CID>()
  #roots: Lease | undefined

  constructor(collector: Collector, barrier: WriteBarrier) {
    this.#collector = collector
    this.#barrier = barrier
  }

  start(): void {
    const kept = this.#kept
    this.#roots = this.#collector.addRoots({
      name: 'shelf',
      plugin: 'shelves',
      async *roots() {
        // With bestEffort, what is missing is no reason to stop.
        for (const cid of kept.values()) yield { cid, recursive: true, bestEffort: true }
      }
    })
  }

  stop(): void {
    this.#roots?.release()
  }

  async put(cid: CID): Promise<string> {
    const lease = await this.#barrier.announce({ cid, recursive: true, bestEffort: true })
    try {
      const id = randomUUID()
      this.#kept.set(id, cid)
      return id
    } finally {
      lease.release()
    }
  }

  take(id: string): void {
    this.#kept.delete(id)
  }
}
