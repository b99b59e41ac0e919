import type { CID } from 'multiformats/cid'
import type { Block } from '../../services/storage/blocks.ts'
import type { Place } from '../../services/storage/references.ts'
import { Turns } from '../../turns.ts'

interface Options {
  readonly signal?: AbortSignal | undefined
}

/** Where an import's blocks go. The caller may use the memory of `bytes` again once `put` has resolved. */
export interface ImportStore {
  put(cid: CID, bytes: Uint8Array, options?: Options): Promise<void>
  /** The same for several, in one write. Absent: they are put one by one. */
  putAll?(blocks: readonly Block[], options?: Options): Promise<void>
  /** Notes where a block lies instead. Absent: blocks can only be stored. */
  refer?(cid: CID, place: Place, options?: Options): Promise<void>
}

/** Writes that may be on their way to the store at once, and bytes: enough to keep a disk busy, little enough to stay small. */
const MOST_WRITES = 64
const MOST_BYTES = 4 * 1024 * 1024
/** Blocks up to this many bytes are put together: small files come by the thousand, and each write costs as much as a few of them. */
const SMALL = 16 * 1024
/** Bytes of blocks that are put together, and of memory that one takes beside its bytes, about. */
const TOGETHER = 64 * 1024
const BESIDE = 512
/** The same of those that wait or are on their way: with more of them, so much is in the hands of the store that memory grows and nothing is gained. */
const MOST_SMALL = 4 * TOGETHER

/** Stores blocks while the next are made. The first failure is thrown at the next {@link put} or at {@link settled}. */
export class BlockWriter {
  readonly #store: ImportStore | undefined
  readonly #turns: Pick<Turns, 'due' | 'take'>
  readonly #options: Options
  /** Small blocks that wait for others, until the turn of the event loop ends. */
  #gathered: Block[] = []
  /** Bytes of the gathered blocks, and of what these take beside them; the same with those that are on their way to the store. */
  #waiting = 0
  #small = 0
  /** Writes on their way to the store, and bytes of the large blocks among them. */
  #writes = 0
  #bytes = 0
  #failure: { error: unknown } | undefined
  #wake: (() => void) | undefined

  /**
   * @param store - undefined: the blocks are only made, as `--only-hash` wants it
   * @param turns - those of others: what is made of memory and goes to memory waits for nothing
   */
  constructor(store: ImportStore | undefined, signal?: AbortSignal, turns: Pick<Turns, 'due' | 'take'> = new Turns()) {
    this.#store = store
    this.#options = { signal }
    this.#turns = turns
  }

  /**
   * Resolves when there is room for another; `done` is called when its memory is not needed any more.
   *
   * @param place - where the block lies, to note that instead of storing it
   */
  async put(cid: CID, bytes: Uint8Array, done?: () => void, place?: Place): Promise<void> {
    if (this.#turns.due) await this.#turns.take()
    this.#check()
    if (this.#store === undefined) {
      done?.()
      return
    }
    if (place !== undefined) this.#write(this.#store.refer!(cid, place, this.#options), bytes.length, done)
    else if (this.#store.putAll === undefined || bytes.length > SMALL)
      this.#write(this.#store.put(cid, bytes, this.#options), bytes.length, done)
    else this.#gather(cid, bytes, done)
    if (this.#isFull) await this.#until(() => !this.#isFull)
  }

  /** Resolves when every block is stored. */
  async settled(): Promise<void> {
    await this.#until(() => this.#writes === 0)
    this.#check()
  }

  get #isFull(): boolean {
    return this.#writes >= MOST_WRITES || this.#bytes >= MOST_BYTES || this.#small >= MOST_SMALL
  }

  #gather(cid: CID, bytes: Uint8Array, done: (() => void) | undefined): void {
    if (this.#gathered.length === 0) setImmediate(() => this.#putGathered())
    // What is lent may be a small part of much memory.
    this.#gathered.push({ cid, bytes: done === undefined ? bytes : Buffer.from(bytes) })
    done?.()
    const size = bytes.length + BESIDE
    this.#waiting += size
    this.#small += size
    if (this.#waiting >= TOGETHER) this.#putGathered()
  }

  #putGathered(): void {
    if (this.#gathered.length === 0) return
    const [blocks, size] = [this.#gathered, this.#waiting]
    this.#gathered = []
    this.#waiting = 0
    // In a turn of its own, nobody would catch what a store throws at once.
    const stored = async () => this.#store!.putAll!(blocks, this.#options)
    this.#write(stored(), 0, () => {
      this.#small -= size
    })
  }

  #write(stored: Promise<void>, size: number, done?: () => void): void {
    this.#writes++
    this.#bytes += size
    const over = () => {
      this.#writes--
      this.#bytes -= size
      done?.()
      this.#wake?.()
    }
    stored.then(over, error => {
      this.#failure ??= { error }
      over()
    })
  }

  async #until(free: () => boolean): Promise<void> {
    this.#putGathered()
    while (!free()) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
    this.#check()
  }

  #check(): void {
    this.#options.signal?.throwIfAborted()
    if (this.#failure !== undefined) throw this.#failure.error
  }
}
