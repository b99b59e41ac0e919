import type { PinMode } from '../../core/index.ts'
import type { PinRecord } from './record.ts'

type Rows = Map<string, PinRecord>

/**
 * All pins in memory, while they are few: a range read costs a database several microseconds a key, which is most of the time of a listing.
 * Filled in the background; of what is changed meanwhile it takes the newer state. Given up for good when there are too many.
 */
export class Mirror {
  readonly #most: number
  readonly #rows: Readonly<Record<PinMode, Rows>> = { recursive: new Map(), direct: new Map() }
  readonly #sorted: Partial<Record<PinMode, readonly PinRecord[]>> = {}
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
        if (!this.#touched.has(nameOf(record))) this.#put(record)
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
    for (const mode of ['recursive', 'direct'] as const) {
      this.#rows[mode].clear()
      this.#sorted[mode] = undefined
    }
    this.#touched.clear()
  }

  /** Call once the change is written; changes of one CID in their order. */
  change(puts: readonly PinRecord[], removes: readonly PinRecord[]): void {
    if (this.#state === 'given up') return
    for (const record of removes) {
      this.#touch(record)
      if (this.#rows[record.mode].delete(record.id)) this.#sorted[record.mode] = undefined
    }
    for (const record of puts) {
      this.#touch(record)
      this.#put(record)
    }
    if (this.#isFull()) this.giveUp()
  }

  get(mode: PinMode, id: string): PinRecord | undefined {
    return this.#rows[mode].get(id)
  }

  /** In the order of the keys, as of now. */
  list(mode: PinMode): readonly PinRecord[] {
    this.#sorted[mode] ??= [...this.#rows[mode].values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    return this.#sorted[mode]
  }

  #put(record: PinRecord): void {
    this.#rows[record.mode].set(record.id, record)
    this.#sorted[record.mode] = undefined
  }

  #touch(record: PinRecord): void {
    if (this.#state === 'filling') this.#touched.add(nameOf(record))
  }

  #isFull(): boolean {
    return this.#rows.recursive.size + this.#rows.direct.size > this.#most
  }
}

function nameOf({ mode, id }: PinRecord): string {
  return `${mode}/${id}`
}
