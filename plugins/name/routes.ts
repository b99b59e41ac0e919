import { unlessAborted } from '../../core/concurrency/index.ts'
import { type Lease, type Logger, messageOf, type NameRoute } from '../../core/index.ts'
import { compareRecords, formatName, type IpnsRecord, readRecord, validateRecord } from '../../core/ipns/index.ts'
import { Deadline } from './deadline.ts'
import { nameErrors } from './errors.ts'
import { merged } from './merged.ts'

interface FindOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds; 0 for as long as it takes. */
  readonly timeout: number
  /** Records that are enough; 0 for all there are. */
  readonly count: number
}

interface SpreadOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds. */
  readonly timeout: number
  /** Whether the publishers alone get it. */
  readonly delegated?: boolean
}

type Publishing = Required<Pick<NameRoute, 'name' | 'publish'>>

/** The ways to other nodes, all of them used at once. */
export class Routes {
  readonly #routes = new Set<NameRoute>()
  readonly #publishers: readonly Publishing[]
  readonly #log: Logger

  /** @param publishers - they are given records, and asked for none */
  constructor(log: Logger, publishers: readonly Publishing[] = []) {
    this.#log = log
    this.#publishers = publishers
  }

  get list(): readonly NameRoute[] {
    return [...this.#routes]
  }

  /** The routes that take records, too. */
  get takers(): readonly Publishing[] {
    return this.list.filter((route): route is Required<NameRoute> => route.publish !== undefined)
  }

  get hasPublishers(): boolean {
    return this.#publishers.length > 0
  }

  add(route: NameRoute): Lease {
    this.#routes.add(route)
    return { release: () => void this.#routes.delete(route) }
  }

  /** Good records of a name as they are found, each better than the one before. */
  async *find(multihash: Uint8Array, { signal, timeout, count }: FindOptions): AsyncGenerator<IpnsRecord> {
    const routes = this.list
    const deadline = new Deadline(timeout, signal)
    const end = deadline.signal
    const onFailure = (source: number, error: unknown) =>
      this.#log.debug(`${routes[source]!.name}: looking for the record of ${formatName(multihash)} failed: ${messageOf(error)}`)
    const found = merged(
      routes.map(route => route.find(multihash, { signal: end, count })),
      end,
      onFailure
    )
    let best: IpnsRecord | undefined
    let good = 0
    try {
      for await (const bytes of found) {
        const record = await this.#checked(multihash, bytes)
        if (record === undefined) continue
        if (best === undefined || compareRecords(record, best) > 0) {
          best = record
          yield record
        }
        if (++good === count) break
      }
    } finally {
      deadline.release()
    }
    signal?.throwIfAborted()
  }

  async #checked(multihash: Uint8Array, bytes: Uint8Array): Promise<IpnsRecord | undefined> {
    try {
      const record = readRecord(bytes)
      await validateRecord(record, multihash)
      return record
    } catch (error) {
      this.#log.debug(`a record of ${formatName(multihash)} that was found is not good: ${messageOf(error)}`)
      return undefined
    }
  }

  /**
   * Puts a record on all routes that take some, and where there are some hands it to the publishers as well; a node without routes talks to nobody unasked.
   *
   * @throws E_PUBLISH_ROUTES where none took it
   */
  async publish(multihash: Uint8Array, record: Uint8Array, { timeout, signal, delegated = false }: SpreadOptions): Promise<void> {
    const { takers } = this
    const found = takers.length === 0 ? [] : [...takers, ...this.#publishers]
    const routes = delegated ? this.#publishers : found
    if (routes.length === 0) return
    const deadline = new Deadline(timeout, signal)
    const end = { signal: deadline.signal }
    const puts = routes.map(async route => unlessAborted(route.publish(multihash, record, end), end.signal))
    const outcomes = await Promise.allSettled(puts)
    deadline.release()
    signal?.throwIfAborted()
    const reasons = outcomes.flatMap((outcome, i) => {
      if (outcome.status === 'fulfilled') return []
      return [`${routes[i]!.name}: ${messageOf(outcome.reason)}`]
    })
    if (reasons.length === routes.length) throw nameErrors.E_PUBLISH_ROUTES(formatName(multihash), reasons.join('; '))
    for (const reason of reasons) this.#log.warn(`a record of ${formatName(multihash)} was not put: ${reason}`)
  }
}
