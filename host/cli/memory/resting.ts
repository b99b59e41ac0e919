import { readFileSync, readlinkSync } from 'node:fs'

/** Growth of resident memory in bytes that is worth a look at what can be given back: that keeps the thread for some milliseconds. */
const WORTH = 16 << 20
/** `MADV_DONTNEED` of Linux (madvise(2)). */
const DONT_NEED = 4

/** What of the C library gives memory back to the system. */
interface Library {
  /** Pages of the heap that are free. */
  trim(): void
  /** Pages of a file that is mapped: they come from the file, or the system's cache of it, when they are used again. */
  unload(mapping: Mapping): void
}

/** A part of a file in the address space, in bytes. */
interface Mapping {
  readonly start: number
  readonly size: number
}

/**
 * Gives the system back, while the process rests, what it does not use. glibc gives back by itself what lies at the end of its heap alone: 40 MiB stay behind 256 MiB
 * that went through the network. And of the programs in memory, Node.js and the native libraries, two thirds are pages that only the start needed, 40 MiB of 125.
 * The library that calls the C library is loaded with the first rest.
 */
export class RestingMemory {
  readonly #load: () => Promise<Library | undefined>
  #library: Promise<Library | undefined> | undefined
  #level = 0

  constructor(load = cLibrary) {
    this.#load = load
  }

  /** Does nothing where the process has not grown since the last time. */
  async giveBack(): Promise<void> {
    const size = process.memoryUsage.rss()
    if (size < this.#level + WORTH) {
      this.#level = Math.min(this.#level, size)
      return
    }
    this.#library ??= this.#load()
    const library = await this.#library
    if (library !== undefined) {
      library.trim()
      for (const mapping of mapped()) library.unload(mapping)
    }
    this.#level = process.memoryUsage.rss()
  }
}

/** {@link programs} of this process, read at once, as what is mapped when they are unloaded must not be something else; none where nobody can tell. */
function mapped(): Mapping[] {
  try {
    return programs(readFileSync('/proc/self/smaps', 'utf8'), readlinkSync('/proc/self/exe'))
  } catch {
    return []
  }
}

/**
 * The mappings of which nothing is lost: code, which nobody writes to, and what the program itself has beside it to be read, as long as no page of them is other
 * than in the file. What libraries have to be read is left alone: the loader writes to it before it is closed to that, maybe now.
 *
 * @param smaps - as in proc_pid_smaps(5)
 * @param program - the file that this process runs
 */
export function programs(smaps: string, program: string): Mapping[] {
  return smaps.split(/^(?=[\da-f]+-[\da-f]+ )/m).flatMap(text => {
    const [, from, to, executable, file] = /^([\da-f]+)-([\da-f]+) r-([x-])p [\da-f]+ [\da-f]+:[\da-f]+ [1-9]\d* +(\/.*)$/m.exec(text) ?? []
    if (file === undefined || (executable !== 'x' && file !== program)) return []
    if (!/^Anonymous: +0 kB$/m.test(text) || !/^Swap: +0 kB$/m.test(text)) return []
    const start = Number.parseInt(from!, 16)
    return { start, size: Number.parseInt(to!, 16) - start }
  })
}

/** Of glibc; nothing where the C library is another one, or what calls it is not installed. */
async function cLibrary(): Promise<Library | undefined> {
  if (process.platform !== 'linux') return
  try {
    const { DataType, load, open } = await import('ffi-rs')
    open({ library: 'libc', path: 'libc.so.6' })
    const { I32, U64 } = DataType
    const ofLibc = { library: 'libc', retType: I32 }
    const trim = () => void load({ ...ofLibc, funcName: 'malloc_trim', paramsType: [U64], paramsValue: [0] })
    // a library without it is found out here
    trim()
    return {
      trim,
      unload: ({ start, size }) =>
        void load({ ...ofLibc, funcName: 'madvise', paramsType: [U64, U64, I32], paramsValue: [start, size, DONT_NEED] })
    }
  } catch {
    return
  }
}
