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
  /** The answers that are on their way to the disk, by their keys. */
  readonly #writing = new Map<string, Promise<void>>()

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

  /**
   * Keeps a record as the one that was published last and, as {@link offer} does, as an answer. One sync takes both to the disk, before which
   * nobody is given the new answer: it must not be seen by somebody and then be forgotten here.
   *
   * @throws what {@link offer} does; what was published is kept then
   */
  async publish(multihash: Uint8Array, record: Uint8Array): Promise<void> {
    await this.#datastore.put(publishedKey(multihash), record)
    let isSynced = false
    try {
      isSynced = (await this.#offer(multihash, record)).isWritten
    } finally {
      if (!isSynced) await this.#datastore.sync?.()
    }
  }

  /** The best record of a name that has not ended. It was checked when it was kept. */
  async best(multihash: Uint8Array): Promise<IpnsRecord | undefined> {
    const record = await this.known(multihash)
    return record !== undefined && this.#isGood(record) ? record : undefined
  }

  /** The best record of a name, ended or not. */
  async known(multihash: Uint8Array): Promise<IpnsRecord | undefined> {
    const key = bestKey(multihash)
    await this.#writing.get(key.toString())?.catch(() => {})
    return this.#read(key)
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
    return (await this.#offer(multihash, bytes)).record
  }

  async #offer(multihash: Uint8Array, bytes: Uint8Array): Promise<{ readonly record: IpnsRecord; readonly isWritten: boolean }> {
    const record = readRecord(bytes)
    await validateRecord(record, multihash, this.#now() + BRIEF)
    const key = bestKey(multihash)
    return this.#lock.run(key.toString(), async () => {
      const known = await this.#read(key)
      const present = known !== undefined && this.#isGood(known) ? known : undefined
      const order = present === undefined ? 1 : compareRecords(record, present)
      if (order < 0) throw ipnsErrors.E_RECORD_OLDER()
      if (order > 0) await this.#writeKnown(key, bytes)
      return { record, isWritten: order > 0 }
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

  #isGood({ end }: IpnsRecord): boolean {
    return end !== undefined && end >= this.#now()
  }

  async #writeKnown(key: Key, record: Uint8Array): Promise<void> {
    const name = key.toString()
    const writing = this.#write(key, record).finally(() => this.#writing.delete(name))
    this.#writing.set(name, writing)
    await writing
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
