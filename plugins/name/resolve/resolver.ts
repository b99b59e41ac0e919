import { LIBP2P_KEY, parseCid } from '../../../core/cid/index.ts'
import { CID, type NameOptions, type NameResolution, type TxtResolver } from '../../../core/index.ts'
import { compareRecords, formatName, type IpnsRecord, parseName } from '../../../core/ipns/index.ts'
import { parseAbsolutePath } from '../../../core/path/index.ts'
import { nameErrors } from '../errors.ts'
import type { RecordStore } from '../records.ts'
import type { Routes } from '../routes.ts'
import type { RecordCache } from './cache.ts'
import { dnsLink, isDomain } from './dnslink.ts'

/** Names that are followed from one to the next (boxo 0.19, namesys). */
export const MOST_STEPS = 32

/** How long routes are asked where the caller does not say, in nanoseconds, and for how many records (Kubo 0.28, core/commands/name). */
const ROUTE_PATIENCE = 60_000_000_000n
const ROUTE_RECORDS = 16

const PREFIX = '/ipns/'

interface ResolverParts {
  readonly fixed: ReadonlyMap<string, string>
  readonly records: RecordStore
  readonly cache: RecordCache
  readonly routes: Routes
  readonly texts: TxtResolver
  /** Nanoseconds since 1970. */
  readonly now: () => bigint
  /** Milliseconds that looking up a domain may take. */
  readonly dnsTimeout: number
}

/** Finds where names lead: fixed ones, then those of keys by their records, then domains by DNSLink. */
export class NameResolver {
  readonly #parts: ResolverParts

  constructor(parts: ResolverParts) {
    this.#parts = parts
  }

  /** Where a path that starts at a name leads, each answer better than the one before. */
  async *resolutions(path: string, options: NameOptions): AsyncGenerator<NameResolution> {
    for await (const next of this.#next(path, options)) {
      const end = isOver(next, options) ? next : await this.#end(next, options, MOST_STEPS - 1)
      if (end !== undefined) yield end
    }
  }

  /** The last of these answers. Of names on the way only the best record is followed, so that there are no more steps than names. */
  async resolve(path: string, options: NameOptions): Promise<NameResolution | undefined> {
    const next = await last(this.#next(path, options))
    return next === undefined || isOver(next, options) ? next : this.#end(next, options, MOST_STEPS - 1)
  }

  async #end(from: NameResolution, options: NameOptions, most: number): Promise<NameResolution | undefined> {
    let at = from
    for (let left = most; at.path.startsWith(PREFIX); left--) {
      if (left === 0) throw nameErrors.E_NAME_DEPTH()
      const next = await last(this.#next(at.path, options))
      if (next === undefined) return undefined
      at = { path: next.path, ttl: next.ttl < at.ttl ? next.ttl : at.ttl }
    }
    return at
  }

  /** One step on the way, what follows the name kept. */
  async *#next(path: string, options: NameOptions): AsyncGenerator<NameResolution> {
    const { root, text } = parseAbsolutePath(path)
    const pathAfter = text.slice(PREFIX.length + root.length)
    for await (const { path: to, ttl } of this.#step(root, options))
      yield { path: pathAfter === '' ? to : to.replace(/\/$/, '') + pathAfter, ttl }
  }

  async *#step(name: string, options: NameOptions): AsyncGenerator<NameResolution> {
    const { fixed, texts, dnsTimeout } = this.#parts
    const known = fixed.get(name)
    const multihash = attempt(() => parseName(name))
    if (known !== undefined) yield { path: known, ttl: 0n }
    else if (multihash !== undefined) {
      for await (const record of this.records(multihash, options))
        if (record.path !== undefined) yield { path: record.path, ttl: timeToLive(record, this.#parts.now()) }
    } else if (isDomain(name)) {
      yield { path: await dnsLink(name, texts, { timeout: dnsTimeout, signal: options.signal }), ttl: 0n }
    } else throw notAName(name)
  }

  /** Good records of a name, each better than the one before: the one that is known here, then those that routes find. */
  async *records(multihash: Uint8Array, { signal, offline, nocache, dhtTimeout, recordCount }: NameOptions): AsyncGenerator<IpnsRecord> {
    const { records, cache, routes } = this.#parts
    signal?.throwIfAborted()
    const name = formatName(multihash)
    const here = await records.best(multihash)
    let best = here
    if (here !== undefined) yield here
    if (offline || routes.list.length === 0) return
    const cached = nocache ? undefined : cache.get(name)
    const timeout = Number((dhtTimeout ?? ROUTE_PATIENCE) / 1_000_000n)
    const found = cached === undefined ? routes.find(multihash, { signal, timeout, count: recordCount ?? ROUTE_RECORDS }) : [cached]
    for await (const record of found) {
      if (best !== undefined && compareRecords(record, best) <= 0) continue
      best = record
      yield record
    }
    if (best !== undefined && best !== here && best !== cached) cache.set(name, best)
  }
}

/** How long a record may be taken for the newest, in nanoseconds: no longer than it is good. */
function timeToLive({ ttl = 0n, end = 0n }: IpnsRecord, now: bigint): bigint {
  const left = end - now
  return left < ttl ? (left < 0n ? 0n : left) : ttl
}

const isOver = ({ path }: NameResolution, { recursive }: NameOptions) => recursive === false || !path.startsWith(PREFIX)

async function last<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  let found: T | undefined
  for await (const item of items) found = item
  return found
}

/** The error for a name that is neither a key's nor a domain; for a CID of another codec it says what that would have to be. */
function notAName(name: string) {
  const cid = attempt(() => parseCid(name))
  if (cid?.version !== 1) return nameErrors.E_NAME_NEITHER(name)
  return nameErrors.E_NAME_CODEC(CID.createV1(LIBP2P_KEY, cid.multihash).toString())
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
