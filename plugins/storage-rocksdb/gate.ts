/** Threads of Node's pool, which all reads and writes of files share with RocksDB: `UV_THREADPOOL_SIZE`, as it is when the pool is made. */
const THREADS = Number(process.env['UV_THREADPOOL_SIZE']) || 4

/** Large blocks that are read at a time, and look-ups of RocksDB: some threads are left to writes, however slow a disk reads. */
export const READS_AT_ONCE: number = Math.max(1, THREADS >> 1)
export const LOOK_UPS_AT_ONCE: number = Math.max(1, THREADS >> 2)

/** Lets `width` pieces of work run at a time; the others wait in order. */
export class Gate {
  readonly #width: number
  #running = 0
  readonly #waiting: Array<() => void> = []

  constructor(width: number) {
    this.#width = width
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#width) this.#running++
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
