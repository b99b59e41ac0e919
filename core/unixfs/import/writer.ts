import type { CID } from 'multiformats/cid'
import type { Place } from '../../services/storage/references.ts'
import { Turns } from '../../turns.ts'

/** Where an import's blocks go. The caller may use the memory of `bytes` again once `put` has resolved. */
export interface ImportStore {
  put(cid: CID, bytes: Uint8Array, options?: { signal?: AbortSignal }): Promise<void>
  /** Notes where a block lies instead. Absent: blocks can only be stored. */
  refer?(cid: CID, place: Place, options?: { signal?: AbortSignal }): Promise<void>
}

/** Blocks that may be on their way to the store at once: enough to keep a disk busy, little enough to stay small. */
const MOST_BLOCKS = 64
const MOST_BYTES = 4 * 1024 * 1024

/** Stores blocks while the next are made. The first failure is thrown at the next {@link put} or at {@link settled}. */
export class BlockWriter {
  readonly #store: ImportStore | undefined
  readonly #signal: AbortSignal | undefined
  readonly #turns = new Turns()
  #blocks = 0
  #bytes = 0
  #failure: { error: unknown } | undefined
  #wake: (() => void) | undefined

  /** @param store - undefined: the blocks are only made, as `--only-hash` wants it */
  constructor(store: ImportStore | undefined, signal?: AbortSignal) {
    this.#store = store
    this.#signal = signal
  }

  /**
   * Resolves when there is room for another; `done` is called when the block is stored.
   *
   * @param place - where the block lies, to note that instead of storing it
   */
  async put(cid: CID, bytes: Uint8Array, done?: () => void, place?: Place): Promise<void> {
    this.#check()
    if (this.#store === undefined) {
      if (this.#turns.due) await this.#turns.take()
      done?.()
      return
    }
    this.#blocks++
    this.#bytes += bytes.length
    const options = { signal: this.#signal }
    const stored = place === undefined ? this.#store.put(cid, bytes, options) : this.#store.refer!(cid, place, options)
    stored.then(
      () => this.#finished(bytes.length, done),
      error => {
        this.#failure ??= { error }
        this.#finished(bytes.length, done)
      }
    )
    if (this.#blocks >= MOST_BLOCKS || this.#bytes >= MOST_BYTES)
      await this.#until(() => this.#blocks < MOST_BLOCKS && this.#bytes < MOST_BYTES)
  }

  /** Resolves when every block is stored. */
  async settled(): Promise<void> {
    await this.#until(() => this.#blocks === 0)
    this.#check()
  }

  async #until(free: () => boolean): Promise<void> {
    while (!free()) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
    this.#check()
  }

  #finished(size: number, done?: () => void): void {
    this.#blocks--
    this.#bytes -= size
    done?.()
    this.#wake?.()
  }

  #check(): void {
    this.#signal?.throwIfAborted()
    if (this.#failure !== undefined) throw this.#failure.error
  }
}
