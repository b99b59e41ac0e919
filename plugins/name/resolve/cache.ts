import { compareRecords, type IpnsRecord } from '../../../core/ipns/index.ts'

/** How long a record is remembered that does not say it, in nanoseconds (boxo 0.19, namesys). */
const UNSAID = 60_000_000_000n

interface Entry {
  readonly record: IpnsRecord
  /** Nanoseconds since 1970. */
  readonly until: bigint
}

/** Records that routes have found, each for as long as it says, the least recently used given up first. Nothing of this outlives the process. */
export class RecordCache {
  readonly #entries = new Map<string, Entry>()
  readonly #most: number
  readonly #longest: bigint | undefined
  readonly #now: () => bigint

  /**
   * @param most - records; 0: none
   * @param longest - nanoseconds that one is remembered whatever it says
   */
  constructor(most: number, longest: bigint | undefined, now: () => bigint) {
    this.#most = most
    this.#longest = longest
    this.#now = now
  }

  get(name: string): IpnsRecord | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    this.#entries.delete(name)
    if (entry.until <= this.#now()) return undefined
    this.#entries.set(name, entry)
    return entry.record
  }

  set(name: string, record: IpnsRecord): void {
    const now = this.#now()
    const ends = [now + (record.ttl ?? UNSAID), record.end ?? now, ...(this.#longest === undefined ? [] : [now + this.#longest])]
    const until = ends.reduce((least, end) => (end < least ? end : least))
    this.#entries.delete(name)
    if (until <= now || this.#most === 0) return
    if (this.#entries.size === this.#most) this.#entries.delete(this.#entries.keys().next().value!)
    this.#entries.set(name, { record, until })
  }

  /** Remembers a record unless a better one is there. */
  learn(name: string, record: IpnsRecord): void {
    const present = this.get(name)
    if (present === undefined || compareRecords(record, present) > 0) this.set(name, record)
  }

  delete(name: string): void {
    this.#entries.delete(name)
  }
}
