import { cidToString, parseCid } from '../../core/cid/index.ts'
import { KeyedLock } from '../../core/concurrency/index.ts'
import { type CID, type Datastore, Key, type Token, token } from '../../core/index.ts'
import { provideErrors } from './errors.ts'

/** The prefix of the keys as the reference has them (boxo 0.19, provider/internal/queue): a counter of 20 digits, and the CID. */
const PREFIX = '/provider/queue/'
const DIGITS = 20

/** New blocks that are still to be provided, in the datastore, in the order in which they came. */
export class ProvideQueue {
  readonly #datastore: Datastore
  readonly #most: number
  readonly #lock = new KeyedLock()
  #next = 0
  #length = 0
  #wake = () => {}

  constructor(datastore: Datastore, most: number) {
    this.#datastore = datastore
    this.#most = most
  }

  get length(): number {
    return this.#length
  }

  /** Finds what an earlier run left. */
  async open(): Promise<void> {
    this.#length = 0
    for await (const key of this.#datastore.queryKeys({ prefix: PREFIX })) {
      this.#length++
      this.#next = Math.max(this.#next, Number(key.toString().slice(PREFIX.length, PREFIX.length + DIGITS)) + 1)
    }
  }

  /** Resolves when they survive the process. @throws E_PROVIDE_QUEUE, having taken none */
  async add(cids: readonly CID[]): Promise<void> {
    if (cids.length === 0) return
    if (this.#length + cids.length > this.#most) throw provideErrors.E_PROVIDE_QUEUE(this.#most)
    const batch = this.#datastore.batch()
    for (const cid of cids) {
      const number = String(this.#next++).padStart(DIGITS, '0')
      batch.put(new Key(`${PREFIX}${number}/${cidToString(cid)}`), Buffer.from(cidToString(cid)))
    }
    await batch.commit()
    this.#length += cids.length
    this.#wake()
  }

  /** The first `most`, with what takes each out. */
  async first(most: number): Promise<Array<{ readonly cid: CID; done(): Promise<void> }>> {
    const found: Array<{ cid: CID; done(): Promise<void> }> = []
    for await (const key of this.#datastore.queryKeys({ prefix: PREFIX })) {
      const done = () =>
        this.#lock.run(PREFIX, async () => {
          // it may have been cleared meanwhile
          if (!(await this.#datastore.has(key))) return
          await this.#datastore.delete(key)
          this.#length--
        })
      try {
        found.push({ cid: parseCid(key.toString().slice(PREFIX.length + DIGITS + 1)), done })
      } catch {
        // what is damaged waits for nobody
        await done()
      }
      if (found.length >= most) break
    }
    return found
  }

  /** Takes all out, what an earlier run left too. @returns how many there were */
  clear(signal: AbortSignal): Promise<number> {
    return this.#lock.run(PREFIX, async () => {
      let count = 0
      for await (const key of this.#datastore.queryKeys({ prefix: PREFIX })) {
        signal.throwIfAborted()
        await this.#datastore.delete(key)
        // those of a node that runs offline were never counted
        if (this.#length > 0) this.#length--
        count++
      }
      return count
    })
  }

  /** Resolves when there is something, or the signal fires. */
  async filled(signal: AbortSignal): Promise<void> {
    while (this.#length === 0 && !signal.aborted) {
      await new Promise<void>(resolve => {
        const over = () => {
          signal.removeEventListener('abort', over)
          resolve()
        }
        this.#wake = over
        signal.addEventListener('abort', over, { once: true })
      })
    }
  }
}

export const Queue: Token<ProvideQueue> = token<ProvideQueue>('provide-queue')
