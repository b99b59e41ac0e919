import { KeyedLock } from '../../../core/concurrency/index.ts'
import { ipnsErrors } from '../../../core/errors/index.ts'
import { decodeUtf8, formatDuration } from '../../../core/go/index.ts'
import {
  hasCode,
  type Keys,
  type Logger,
  messageOf,
  type NamedKey,
  type PublishedName,
  type PublishOptions,
  SELF
} from '../../../core/index.ts'
import {
  compareRecords,
  formatName,
  type IpnsRecord,
  makeRecord,
  parseName,
  type RecordContent,
  readRecord,
  validateRecord
} from '../../../core/ipns/index.ts'
import { parseContentPath } from '../../../core/path/index.ts'
import { nameErrors } from '../errors.ts'
import type { RecordStore } from '../records.ts'
import type { RecordCache } from '../resolve/cache.ts'
import type { Routes } from '../routes.ts'

const SECOND = 1_000_000_000n
/** The defaults of `name/publish` (Kubo 0.28, core/commands/name/publish.go). */
export const LIFETIME = 48n * 3600n * SECOND
const TTL = 3600n * SECOND

/** The empty folder: what the name of a new node stands for (Kubo 0.28, cmd/ipfs/kubo/init.go). */
export const EMPTY_FOLDER = '/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

/** The highest sequence number. */
const LAST_SEQUENCE = 2n ** 64n - 1n

/** A record that ends within this, in nanoseconds, is made anew at once. */
const MOMENT = 60n * SECOND

/** Names whose records are made anew at a time: what makes them survive power loss is shared by all that wait for it. */
const AT_ONCE = 16

/** How long, in milliseconds, and for how many records routes are asked before a first one is made here (boxo 0.19, namesys/ipns_publisher.go). */
const PREVIOUS_TIMEOUT = 30_000
const PREVIOUS_RECORDS = 16

interface PublisherParts {
  readonly keys: Pick<Keys, 'find' | 'list' | 'sign'>
  readonly records: RecordStore
  readonly cache: RecordCache
  readonly routes: Routes
  readonly log: Logger
  /** Milliseconds that putting a record on the routes may take. */
  readonly routeTimeout: number
  /** Nanoseconds since 1970. */
  now(): bigint
}

interface PutOptions {
  readonly signal?: AbortSignal | undefined
  readonly here?: boolean
  readonly delegated?: boolean
}

/** Makes records and puts them where they are found. One at a time for each name, so that sequence numbers only rise. */
export class Publisher {
  readonly #parts: PublisherParts
  readonly #lock = new KeyedLock()

  constructor(parts: PublisherParts) {
    this.#parts = parts
  }

  async publish(path: string, options: PublishOptions = {}): Promise<PublishedName> {
    const { lifetime = LIFETIME, ttl = TTL, v1Compatible = true, allowOffline = false, allowDelegated = false, signal } = options
    const { routes, now } = this.#parts
    const { text } = parseContentPath(path)
    if (lifetime <= 0n) throw nameErrors.E_PUBLISH_LIFETIME_NONE(formatDuration(lifetime))
    if (routes.takers.length === 0 && !allowOffline && !allowDelegated) throw nameErrors.E_PUBLISH_OFFLINE()
    const key = await this.#keyOf(options.key ?? SELF)
    const multihash = parseName(key.peerId)
    return this.#lock.run(key.peerId, async () => {
      signal?.throwIfAborted()
      const previous = await this.#previous(multihash, signal)
      const sequence = options.sequence ?? following(previous, text)
      if (previous !== undefined && options.sequence !== undefined && options.sequence <= sequenceOf(previous))
        throw nameErrors.E_PUBLISH_SEQUENCE()
      if (sequence > LAST_SEQUENCE) throw nameErrors.E_PUBLISH_SEQUENCE_LAST(formatName(multihash))
      const content = { path: text, sequence, end: now() + lifetime, ttl: ttl < 0n ? 0n : ttl, v1Compatible }
      await this.#put(key, content, { signal, here: allowOffline, delegated: allowDelegated })
      return { name: formatName(multihash), path: text, sequence }
    })
  }

  /**
   * Makes the records anew that this node has published: with the same content, and good for longer.
   *
   * @returns what failed, by the names of the keys
   * @throws what listing the keys does, when those that can be read were gone through
   */
  async republish(lifetime: bigint, signal?: AbortSignal): Promise<ReadonlyMap<string, unknown>> {
    const failures = new Map<string, unknown>()
    const list = this.#parts.keys.list()
    const keys = await list.catch(() => this.#readable())
    const again = async (key: NamedKey) => {
      try {
        await this.#lock.run(key.peerId, () => this.#again(key, lifetime, signal))
      } catch (error) {
        signal?.throwIfAborted()
        failures.set(key.name, error)
      }
    }
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      signal?.throwIfAborted()
      await Promise.all(keys.slice(at, at + AT_ONCE).map(again))
    }
    await list
    return failures
  }

  /** See {@link Names.takeOver}. */
  async takeOver(name: string, bytes: Uint8Array): Promise<void> {
    const { records, cache, now } = this.#parts
    const key = await this.#keyOf(name)
    const multihash = parseName(key.peerId)
    const record = readRecord(bytes)
    // whenever it ends
    await validateRecord(record, multihash, 0n)
    await this.#lock.run(key.peerId, async () => {
      const present = await records.published(multihash)
      const isFirst = present !== undefined && sequenceOf(present) === 0n && pathOf(present) === EMPTY_FOLDER
      if (present !== undefined && !isFirst && compareRecords(record, present) < 0) throw ipnsErrors.E_RECORD_OLDER()
      await records.setPublished(multihash, bytes)
      if (isFirst) await records.forgetKnown(multihash)
      cache.delete(formatName(multihash))
      if ((record.end ?? 0n) > now() + MOMENT) await records.offer(multihash, bytes)
      else await this.#again(key, LIFETIME, undefined)
    })
  }

  /** The keys of published names, as far as they can be read. */
  async #readable(): Promise<NamedKey[]> {
    const found: NamedKey[] = []
    for (const multihash of await this.#parts.records.publishedNames()) {
      const key = await this.#keyOf(formatName(multihash)).catch(() => undefined)
      if (key !== undefined) found.push(key)
    }
    return found
  }

  async #again(key: NamedKey, lifetime: bigint, signal: AbortSignal | undefined): Promise<void> {
    const { records, now } = this.#parts
    const last = await records.published(parseName(key.peerId))
    if (last === undefined) return
    const later = now() + lifetime
    const end = last.end !== undefined && last.end > later ? last.end : later
    const v1Compatible = last.fields.signatureV1 !== undefined
    await this.#put(key, { path: pathOf(last), sequence: sequenceOf(last), end, ttl: last.ttl ?? TTL, v1Compatible }, { signal })
  }

  /** The best record that there is of a name, also one that has ended: what comes next has to count above it. */
  async #previous(multihash: Uint8Array, signal: AbortSignal | undefined): Promise<IpnsRecord | undefined> {
    const { records, routes } = this.#parts
    const here = [await records.published(multihash), await records.known(multihash)].filter(record => record !== undefined)
    if (here.length === 0 && routes.list.length > 0)
      for await (const record of routes.find(multihash, { signal, timeout: PREVIOUS_TIMEOUT, count: PREVIOUS_RECORDS })) here.push(record)
    return here.sort(compareRecords).at(-1)
  }

  /** @param options - with `here` it is enough that this node has the record; with `delegated` the publishers alone get it */
  async #put(key: NamedKey, content: RecordContent, { signal, here = false, delegated = false }: PutOptions): Promise<void> {
    const { keys, records, cache, routes, log, routeTimeout } = this.#parts
    const multihash = parseName(key.peerId)
    const record = await makeRecord(content, { ...key, sign: bytes => keys.sign(key.name, bytes) })
    // while routes were asked, the name of the key may have come to be that of another one
    await validateRecord(readRecord(record), multihash, content.end).catch(error => {
      throw hasCode(error, 'E_RECORD_SIGNATURE') ? nameErrors.E_PUBLISH_KEY(key.name, formatName(multihash)) : error
    })
    // one that has ended already is no answer, and no error either, as in the reference
    await records.publish(multihash, record).catch(error => {
      if (!hasCode(error, 'E_RECORD_EXPIRED') && !hasCode(error, 'E_RECORD_OLDER')) throw error
      log.debug(`the record of ${key.name} is not the best one: ${messageOf(error)}`)
    })
    cache.delete(formatName(multihash))
    await routes.publish(multihash, record, { timeout: routeTimeout, signal, delegated }).catch(error => {
      if (!here || signal?.aborted) throw error
      log.warn(messageOf(error))
    })
  }

  /** @throws E_NAME_KEY_EMPTY, E_NAME_KEY, E_NAME_KEY_ID */
  async #keyOf(nameOrId: string): Promise<NamedKey> {
    if (nameOrId === '') throw nameErrors.E_NAME_KEY_EMPTY()
    const key = await this.#parts.keys.find(nameOrId.replace(/^\/ipns\//, ''))
    if (key !== undefined) return key
    throw isId(nameOrId) ? nameErrors.E_NAME_KEY_ID() : nameErrors.E_NAME_KEY()
  }
}

/** The sequence number of what comes after a record. */
function following(previous: IpnsRecord | undefined, path: string): bigint {
  return previous === undefined ? 0n : sequenceOf(previous) + (pathOf(previous) === path ? 0n : 1n)
}

const sequenceOf = (record: IpnsRecord) => record.sequence ?? 0n
const pathOf = (record: IpnsRecord) => decodeUtf8(record.bytesOf('Value') ?? new Uint8Array(0))

function isId(text: string): boolean {
  try {
    parseName(text)
    return true
  } catch {
    return false
  }
}
