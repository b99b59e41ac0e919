import { parseDuration } from '../../core/go/index.ts'
import {
  type Datastore,
  hasCode,
  type Keys,
  type Lease,
  type Logger,
  messageOf,
  type NameOptions,
  type NameResolution,
  type NameRoute,
  type Names,
  type Network,
  type PathResolver,
  type PublishedName,
  type PublishOptions,
  type Repo,
  type Startable,
  type TxtResolver
} from '../../core/index.ts'
import { formatName, type IpnsRecord, nowInNanoseconds, parseName, readRecord, validateRecord } from '../../core/ipns/index.ts'
import { nameErrors } from './errors.ts'
import { delegatedPublishers } from './publish/delegated.ts'
import { EMPTY_FOLDER, Publisher } from './publish/publisher.ts'
import { DEFAULT_REPUBLISHING, republishingOf, republishPeriodically } from './publish/republisher.ts'
import { RecordStore } from './records.ts'
import { RecordCache } from './resolve/cache.ts'
import { fixedNames, NS_MAP } from './resolve/fixed.ts'
import { NameResolver } from './resolve/resolver.ts'
import { Routes } from './routes.ts'
import type { NameSettings } from './settings.ts'

interface NameServiceParts {
  readonly datastore: Datastore
  readonly keys: Keys
  readonly paths: PathResolver
  readonly repo: Repo
  readonly texts: TxtResolver
  readonly settings: NameSettings
  /** Absent on a node that runs offline. */
  readonly network?: Network | undefined
  readonly log: Logger
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Nanoseconds since 1970; default the clock's. */
  now?(): bigint
}

/** Names over the datastore, the keys and whatever routes there are. */
export class NameService implements Names, Startable {
  readonly #parts: NameServiceParts
  readonly #records: RecordStore
  readonly #routes: Routes
  readonly #cache: RecordCache
  readonly #now: () => bigint
  readonly #publisher: Publisher
  readonly #resolver: NameResolver
  readonly #stopping = new AbortController()
  #republishing: Promise<void> | undefined
  readonly #reservations = new Set<{ readonly why: string }>()

  /** @throws E_NAME_FIXED, E_NAME_CACHE, E_PUBLISHER_URL */
  constructor(parts: NameServiceParts) {
    const { datastore, keys, texts, settings, log, environment, now = nowInNanoseconds } = parts
    this.#parts = parts
    this.#records = new RecordStore(datastore, now)
    this.#routes = new Routes(log, delegatedPublishers(parts.repo))
    this.#cache = cacheOf(parts.repo, now)
    this.#now = now
    const shared = { records: this.#records, routes: this.#routes, cache: this.#cache }
    this.#publisher = new Publisher({ ...shared, keys, log, now, routeTimeout: settings.routeTimeout })
    const fixed = fixedNames(settings.fixed, environment[NS_MAP])
    this.#resolver = new NameResolver({ ...shared, fixed, texts, now, dnsTimeout: settings.dnsTimeout })
  }

  get reserved(): string | undefined {
    const [first] = this.#reservations
    return first?.why
  }

  reserve(why: string): Lease {
    const reservation = { why }
    this.#reservations.add(reservation)
    return { release: () => void this.#reservations.delete(reservation) }
  }

  /** Publishes the name of a new node. @throws E_NAME_SETTING, E_NAME_LIFETIME */
  async start(): Promise<void> {
    const { paths, repo } = this.#parts
    // as in the reference, a node that talks to nobody runs with whatever stands there
    if (this.#parts.network !== undefined) checkRepublishing(repo)
    const follow = async (name: string, options: NameOptions) =>
      (await this.resolve(`/ipns/${name}`, { ...options, recursive: options.recursive === true })).path
    paths.addNamespace('ipns', follow)
    if (await this.#records.isEmpty()) await this.publish(EMPTY_FOLDER, { allowOffline: true })
  }

  afterStart(): void {
    const { repo, log } = this.#parts
    const { period, lifetime } = usable(repo, log)
    const republish = (signal: AbortSignal) => this.#publisher.republish(lifetime, signal)
    this.#republishing = republishPeriodically({ period, republish, log }, this.#stopping.signal)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#republishing
  }

  get routes(): readonly NameRoute[] {
    return this.#routes.list
  }

  get hasPublishers(): boolean {
    return this.#routes.hasPublishers
  }

  addRoute(route: NameRoute): Lease {
    return this.#routes.add(route)
  }

  publish(path: string, options?: PublishOptions): Promise<PublishedName> {
    return this.#publisher.publish(path, options)
  }

  async resolve(path: string, options: NameOptions = {}): Promise<NameResolution> {
    const found = await this.#resolver.resolve(path, options)
    if (found === undefined) throw nameErrors.E_NAME_UNRESOLVED()
    return found
  }

  resolutions(path: string, options: NameOptions = {}): AsyncIterable<NameResolution> {
    return this.#resolver.resolutions(path, options)
  }

  async record(name: string, options: NameOptions = {}): Promise<Uint8Array | undefined> {
    let best: IpnsRecord | undefined
    for await (const record of this.#resolver.records(parseName(name), options)) best = record
    return best?.bytes
  }

  async put(name: string, record: Uint8Array): Promise<void> {
    await this.#records.offer(parseName(name), record)
  }

  spread(name: string, record: Uint8Array, options: { readonly signal?: AbortSignal; readonly delegated?: boolean } = {}): Promise<void> {
    return this.#routes.publish(parseName(name), record, { ...options, timeout: this.#parts.settings.routeTimeout })
  }

  async heard(name: string, bytes: Uint8Array): Promise<void> {
    const multihash = parseName(name)
    const record = readRecord(bytes)
    await validateRecord(record, multihash, this.#now())
    this.#cache.learn(formatName(multihash), record)
  }

  async published(name: string): Promise<Uint8Array | undefined> {
    return (await this.#records.published(parseName(name)))?.bytes
  }

  takeOver(name: string, record: Uint8Array): Promise<void> {
    return this.#publisher.takeOver(name, record)
  }
}

/** Refuses what no node works with; a period that is too short or too long is told where the default takes its place. */
function checkRepublishing(repo: Repo): void {
  try {
    republishingOf(repo)
  } catch (error) {
    if (!hasCode(error, 'E_NAME_PERIOD')) throw error
  }
}

/** The settings of the configuration, or the defaults where those cannot be used. */
function usable(repo: Repo, log: Logger): ReturnType<typeof republishingOf> {
  try {
    return republishingOf(repo)
  } catch (error) {
    log.error(`${messageOf(error)}: the default counts until it is mended`)
    return DEFAULT_REPUBLISHING
  }
}

/** @throws E_NAME_CACHE */
function cacheOf(repo: Repo, now: () => bigint): RecordCache {
  const size = Number(repo.get('Ipns.ResolveCacheSize') ?? 0)
  if (size < 0) throw nameErrors.E_NAME_CACHE()
  const longest = repo.get('Ipns.MaxCacheTTL') ?? ''
  try {
    return new RecordCache(size === 0 ? 128 : size, longest === '' ? undefined : parseDuration(String(longest)), now)
  } catch (error) {
    throw nameErrors.E_NAME_SETTING('MaxCacheTTL', JSON.stringify(longest), messageOf(error))
  }
}
