/** Growth of resident memory in bytes that is worth a look at what the allocator holds: that keeps the thread for some milliseconds. */
const WORTH = 16 << 20

/**
 * Gives the system back what the C library's allocator holds of freed memory. glibc by itself gives back what lies at the end of its heap
 * alone: 40 MiB stay behind 256 MiB that went through the network. The library that calls it is loaded when there is something to give.
 */
export class Allocator {
  readonly #load: () => Promise<() => void>
  #trim: Promise<() => void> | undefined
  #level = process.memoryUsage.rss()

  constructor(load = mallocTrim) {
    this.#load = load
  }

  async giveBack(): Promise<void> {
    const size = process.memoryUsage.rss()
    if (size < this.#level + WORTH) {
      this.#level = Math.min(this.#level, size)
      return
    }
    this.#trim ??= this.#load()
    const trim = await this.#trim
    trim()
    this.#level = process.memoryUsage.rss()
  }
}

/** `malloc_trim(0)` of glibc (malloc_trim(3)); nothing where the C library is another one, or what calls it is not installed. */
async function mallocTrim(): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  try {
    const { DataType, load, open } = await import('ffi-rs')
    open({ library: 'libc', path: 'libc.so.6' })
    const trim = () => {
      load({ library: 'libc', funcName: 'malloc_trim', retType: DataType.I32, paramsType: [DataType.U64], paramsValue: [0] })
    }
    // a library without it is found out here
    trim()
    return trim
  } catch {
    return () => {}
  }
}
