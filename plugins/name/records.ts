import { decodeMultibase, encodeMultibase, multibaseByName } from '../../core/cid/bases.ts'
import { KeyedLock } from '../../core/concurrency/index.ts'
import { ipnsErrors } from '../../core/errors/index.ts'
import { type Datastore, hasCode, Key } from '../../core/index.ts'
import { compareRecords, formatName, type IpnsRecord, readRecord, validateRecord } from '../../core/ipns/index.ts'

/** Kubo's prefix, and one of this node's own. */
const PUBLISHED = '/ipns/'
const KNOWN = '/ipns-known/'

const base32 = multibaseByName('base32upper')

/** A record that ends as soon as this, in nanoseconds, has ended by the time that anybody reads it. */
const BRIEF = 10_000_000n

/**
 * Records in the datastore, of each name up to two: the one that this node published last (under Kubo's key), and the best of all that it
 * knows. The first says what comes next and is there also when it has ended; only the second is an answer.
 */
export class RecordStore {
  readonly #datastore: Datastore
  readonly #lock = new KeyedLock()
  readonly #now: () => bigint

  constructor(datastore: Datastore, now: () => bigint) {
    this.#datastore = datastore
    this.#now = now
  }

  /** Whether this node has never published a name. */
  async isEmpty(): Promise<boolean> {
    for await (const _ of this.#datastore.queryKeys({ prefix: PUBLISHED })) return false
    return true
  }

  /** The names that this node has published, as multihashes. */
  async publishedNames(): Promise<Uint8Array[]> {
    const names: Uint8Array[] = []
    for await (const key of this.#datastore.queryKeys({ prefix: PUBLISHED })) {
      const name = multihashOf(key)
      if (name !== undefined) names.push(name)
    }
    return names
  }

  /** The record that this node published last under a name, ended or not. */
  published(multihash: Uint8Array): Promise<IpnsRecord | undefined> {
    return this.#read(publishedKey(multihash))
  }

  /** Resolves when it survives power loss. */
  async setPublished(multihash: Uint8Array, record: Uint8Array): Promise<void> {
    await this.#write(publishedKey(multihash), record)
  }

  /** The best record of a name that has not ended. It was checked when it was kept. */
  async best(multihash: Uint8Array): Promise<IpnsRecord | undefined> {
    const record = await this.known(multihash)
    return record?.end !== undefined && record.end >= this.#now() ? record : undefined
  }

  /** The best record of a name, ended or not. */
  known(multihash: Uint8Array): Promise<IpnsRecord | undefined> {
    return this.#read(bestKey(multihash))
  }

  /** Forgets the best record of a name. */
  async forgetKnown(multihash: Uint8Array): Promise<void> {
    await this.#datastore.delete(bestKey(multihash))
  }

  /**
   * Keeps a record, where none that is good is better. Resolves when it survives power loss.
   *
   * @throws E_RECORD_…, E_RECORD_OLDER
   */
  async offer(multihash: Uint8Array, bytes: Uint8Array): Promise<IpnsRecord> {
    const record = readRecord(bytes)
    await validateRecord(record, multihash, this.#now() + BRIEF)
    const key = bestKey(multihash)
    return this.#lock.run(key.toString(), async () => {
      const present = await this.best(multihash)
      const order = present === undefined ? 1 : compareRecords(record, present)
      if (order < 0) throw ipnsErrors.E_RECORD_OLDER()
      if (order > 0) await this.#write(key, bytes)
      return record
    })
  }

  async #read(key: Key): Promise<IpnsRecord | undefined> {
    try {
      return readRecord(await this.#datastore.get(key))
    } catch (error) {
      // what is damaged is nothing to go by, and is replaced by the next
      if (isNotFound(error) || hasCode(error, 'E_RECORD_SIZE') || hasCode(error, 'E_RECORD_MALFORMED')) return undefined
      throw error
    }
  }

  async #write(key: Key, record: Uint8Array): Promise<void> {
    await this.#datastore.put(key, record)
    await this.#datastore.sync?.()
  }
}

const text = (bytes: Uint8Array) => encodeMultibase(base32, bytes).slice(1)
const publishedKey = (multihash: Uint8Array) => new Key(PUBLISHED + text(multihash))
const bestKey = (multihash: Uint8Array) => new Key(KNOWN + text(multihash))

function multihashOf(key: Key): Uint8Array | undefined {
  try {
    const { bytes } = decodeMultibase(base32.prefix + key.toString().slice(PUBLISHED.length))
    formatName(bytes)
    return bytes
  } catch {
    // what is no name is nobody's of this node
    return undefined
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'NotFoundError'
}
