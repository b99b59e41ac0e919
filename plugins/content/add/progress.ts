import { type ChunkerSpec, DEFAULT_CHUNK } from '../../../core/unixfs/chunker/index.ts'

/** Bytes between two reports (Kubo 0.28, core/coreunix/add). */
const STEP = 262_144
/** Bytes the reference takes from an upload at a time. */
const READ = 4096
/** Links of a node, which say how deep a file's tree is. */
const MAX_LINKS = 174

/**
 * When the reference reports how far a file has come: once 256 KiB were read since the last time, and on every read that meets the end.
 * A file whose last chunk is full meets it once more for each level of its tree.
 */
export class Progress {
  readonly #size: number
  #position = 0
  #reported = 0
  #chunks = 0
  #full = false
  #saidEnd = false

  constructor(spec: ChunkerSpec) {
    this.#size = spec.kind === 'size' ? spec.size : DEFAULT_CHUNK
  }

  /** @returns the positions to report for one more chunk of `size` bytes */
  chunk(size: number): number[] {
    const due: number[] = []
    const end = this.#position + size
    while (this.#position < end) {
      this.#position = Math.min(end, this.#position + READ)
      if (this.#position - this.#reported >= STEP) {
        this.#reported = this.#position
        due.push(this.#position)
      }
    }
    this.#chunks++
    this.#full = size === this.#size
    this.#saidEnd = due.at(-1) === end
    return due
  }

  /** @returns the positions to report at the end of the file */
  end(): number[] {
    let depth = 0
    for (let nodes = this.#chunks; nodes > 1; nodes = Math.ceil(nodes / MAX_LINKS)) depth++
    const times = (this.#saidEnd ? 0 : 1) + (this.#full ? depth + 1 : 0)
    return new Array<number>(times).fill(this.#position)
  }
}
