import { LIBP2P_KEY, parseCid } from '../../core/cid/index.ts'
import { CID, type NameOptions, type NameResolution, type TxtResolver } from '../../core/index.ts'
import { compareRecords, formatName, type IpnsRecord, parseName } from '../../core/ipns/index.ts'
import { parseAbsolutePath } from '../../core/path/index.ts'
import type { RecordCache } from './cache.ts'
import { dnsLink, isDomain } from './dnslink.ts'
import { nameErrors } from './errors.ts'
import type { RecordStore } from './records.ts'
import type { Routes } from './routes.ts'

/** Names that are followed from one to the next (boxo 0.19, namesys). */
export const MOST_STEPS = 32

/** How long routes are asked where the caller does not say, in nanoseconds, and for how many records (Kubo 0.28, core/commands/name). */
const ROUTE_PATIENCE = 60_000_000_000n
const ROUTE_RECORDS = 16

export interface ResolverParts {
  readonly fixed: ReadonlyMap<string, string>
  readonly records: RecordStore
  readonly cache: RecordCache
  readonly routes: Routes
  readonly texts: TxtResolver
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
  async *resolutions(path: string, options: NameOptions, left = MOST_STEPS): AsyncGenerator<NameResolution> {
    if (left === 0) throw nameErrors.E_NAME_DEPTH()
    const { root, text } = parseAbsolutePath(path)
    const rest = text.slice(`/ipns/${root}`.length)
    for await (const step of this.#step(root, options)) {
      const next = { path: rest === '' ? step.path : step.path.replace(/\/$/, '') + rest, ttl: step.ttl }
      if (options.recursive === false || !next.path.startsWith('/ipns/')) yield next
      else for await (const end of this.resolutions(next.path, options, left - 1)) yield { ...end, ttl: least(end.ttl, next.ttl) }
    }
  }

  async *#step(name: string, options: NameOptions): AsyncGenerator<NameResolution> {
    const { fixed, texts, dnsTimeout } = this.#parts
    const known = fixed.get(name)
    const multihash = attempt(() => parseName(name))
    if (known !== undefined) yield { path: known, ttl: 0n }
    else if (multihash !== undefined) {
      for await (const { path, ttl = 0n } of this.records(multihash, options)) if (path !== undefined) yield { path, ttl }
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

const least = (a: bigint, b: bigint) => (a < b ? a : b)

/** What is neither a key's name nor a domain; a CID of another codec is told what it would have to be. */
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
