import type { PinMode } from '../../../core/index.ts'
import type { PinRecord } from './record.ts'

const modes = ['recursive', 'direct'] as const

/**
 * All pins in memory, while they are few: a range read costs a database several microseconds a key, which is most of the time of a listing.
 * Filled in the background; of what is changed meanwhile it takes the newer state. Given up for good when there are too many.
 */
export class Mirror {
  readonly #most: number
  readonly #rows: Readonly<Record<PinMode, Rows>> = { recursive: new Rows(), direct: new Rows() }
  /** Keys that were changed while filling. */
  readonly #touched = new Set<string>()
  #state: 'filling' | 'whole' | 'given up' = 'filling'

  constructor(most: number) {
    this.#most = most
  }

  /** Whether it holds every pin there is. */
  get isWhole(): boolean {
    return this.#state === 'whole'
  }

  /** Takes what is stored; anything that fails on the way leaves the database in charge. */
  async fill(stored: AsyncIterable<PinRecord>): Promise<void> {
    try {
      for await (const record of stored) {
        if (!this.#touched.has(nameOf(record))) this.#rows[record.mode].put(record)
        if (this.#isFull()) return this.giveUp()
      }
      if (this.#state === 'filling') this.#state = 'whole'
    } catch {
      this.giveUp()
    }
    this.#touched.clear()
  }

  giveUp(): void {
    this.#state = 'given up'
    for (const mode of modes) this.#rows[mode].clear()
    this.#touched.clear()
  }

  /** Call once the change is written; changes of one CID in their order. */
  change(puts: readonly PinRecord[], removes: readonly PinRecord[]): void {
    if (this.#state === 'given up') return
    if (this.#state === 'filling') for (const record of [...removes, ...puts]) this.#touched.add(nameOf(record))
    for (const { mode, id } of removes) this.#rows[mode].delete(id)
    for (const record of puts) this.#rows[record.mode].put(record)
    if (this.#isFull()) this.giveUp()
  }

  get(mode: PinMode, id: string): PinRecord | undefined {
    return this.#rows[mode].get(id)
  }

  /** The pins in the order of their keys, as of now. */
  list(mode: PinMode): readonly PinRecord[] {
    return this.#rows[mode].list()
  }

  #isFull(): boolean {
    return this.#rows.recursive.size + this.#rows.direct.size > this.#most
  }
}

function nameOf({ mode, id }: PinRecord): string {
  return `${mode}/${id}`
}

/** Records by their ids, and in the order of these. */
class Rows {
  readonly #byId = new Map<string, PinRecord>()
  #sorted: PinRecord[] = []
  /** Whether the array was handed out: a reader may still be in it, so a change copies it first. */
  #isLent = false

  get size(): number {
    return this.#sorted.length
  }

  get(id: string): PinRecord | undefined {
    return this.#byId.get(id)
  }

  put(record: PinRecord): void {
    const known = this.#byId.has(record.id)
    this.#byId.set(record.id, record)
    this.#unlent().splice(this.#placeOf(record.id), known ? 1 : 0, record)
  }

  delete(id: string): void {
    if (this.#byId.delete(id)) this.#unlent().splice(this.#placeOf(id), 1)
  }

  clear(): void {
    this.#byId.clear()
    this.#sorted = []
    this.#isLent = false
  }

  list(): readonly PinRecord[] {
    this.#isLent = true
    return this.#sorted
  }

  #unlent(): PinRecord[] {
    if (this.#isLent) this.#sorted = this.#sorted.slice()
    this.#isLent = false
    return this.#sorted
  }

  /** Where the record with this id is, or belongs. */
  #placeOf(id: string): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#sorted[middle]!.id < id) low = middle + 1
      else high = middle
    }
    return low
  }
}
