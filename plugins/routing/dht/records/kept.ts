import { KeyedLock, Turns } from '../../../../core/concurrency/index.ts'
import { type Datastore, Key } from '../../../../core/index.ts'
import { routingPluginErrors } from '../../errors.ts'
import { readFields, writeFields } from '../wire.ts'
import { Seen } from './seen.ts'

/** Something that is kept for a peer, or by this node for itself. */
interface StoredRecord {
  /** base58 of who sent it. */
  readonly peer: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly bytes: Uint8Array
}

/** Limits of the records that are kept for others. The node's own does not count. */
export interface KeptLimits {
  readonly count: number
  readonly bytes: number
  readonly ofPeer: number
  /** Milliseconds. */
  readonly validity: number
}

interface Usage {
  count: number
  bytes: number
}

/** Numbers of the fields of a value. */
const FIELD = { PEER: 1, TIME: 2, BYTES: 3 } as const

/**
 * The records that peers had this node keep, in the datastore under a prefix, by names without a slash at their ends. Bounded by count and bytes, in all
 * and by peer; what is older than its validity is not there, and is removed in time. Which names are there is remembered by their first parts, as most
 * that are told of are new: looking for them in vain would take longer than to keep them.
 */
export class KeptForOthers {
  readonly #datastore: Datastore
  readonly #prefix: string
  readonly #self: string
  readonly #limits: KeptLimits
  readonly #lock = new KeyedLock()
  readonly #ofPeer = new Map<string, Usage>()
  readonly #all: Usage = { count: 0, bytes: 0 }
  readonly #now: () => number
  /** The first parts of names that are there; undefined until all were looked through once. */
  #seen: Seen | undefined
  /** The same, while all are looked through. */
  #next: Seen | undefined

  constructor(datastore: Datastore, prefix: string, self: string, limits: KeptLimits, now: () => number = Date.now) {
    this.#datastore = datastore
    this.#prefix = prefix
    this.#self = self
    this.#limits = limits
    this.#now = now
  }

  /** The records that are kept for others. */
  get usage(): Readonly<Usage> {
    return this.#all
  }

  /** Counts what is there, and removes what is too old. Called before anything else, and then from time to time. */
  async sweep(signal?: AbortSignal): Promise<void> {
    const turns = new Turns(signal)
    const [counted, all] = [new Map<string, Usage>(), { count: 0, bytes: 0 }]
    const seen = new Seen()
    this.#next = seen
    for await (const { key, value } of this.#datastore.query({ prefix: this.#prefix }, { signal })) {
      const entry = readEntry(value)
      const name = this.#nameOf(key)
      if (entry === undefined || this.#isOver(entry)) await this.#remove(name)
      else {
        seen.add(firstPart(name))
        if (entry.peer !== this.#self) add(counted, all, entry.peer, 1, value.length)
      }
      if (turns.due) await turns.take()
    }
    // what came and went meanwhile is off by what came and went, until the next time
    this.#ofPeer.clear()
    for (const [peer, usage] of counted) this.#ofPeer.set(peer, usage)
    Object.assign(this.#all, all)
    if (this.#next !== seen) return
    this.#seen = seen
    this.#next = undefined
  }

  /** @returns undefined for what is not there, or too old */
  async get(name: string): Promise<StoredRecord | undefined> {
    const value = await this.#read(name)
    const entry = value && readEntry(value)
    return entry === undefined || this.#isOver(entry) ? undefined : entry
  }

  /** All entries whose names begin so, at most so many. */
  async list(prefix: string, most: number): Promise<Array<StoredRecord & { readonly name: string }>> {
    const found: Array<StoredRecord & { name: string }> = []
    if (prefix.includes('/') && !this.#mayHave(prefix)) return found
    for await (const { key, value } of this.#datastore.query({ prefix: this.#prefix + prefix })) {
      const entry = readEntry(value)
      if (entry === undefined || this.#isOver(entry)) continue
      found.push({ ...entry, name: this.#nameOf(key) })
      if (found.length >= most) break
    }
    return found
  }

  /** Keeps the entry in the place of the one of that name; resolves when it survives the process. @throws E_DHT_FULL */
  put(name: string, peer: string, bytes: Uint8Array): Promise<void> {
    return this.#lock.run(name, async () => {
      const value = writeFields([
        [FIELD.PEER, Buffer.from(peer)],
        [FIELD.TIME, this.#now()],
        [FIELD.BYTES, bytes]
      ])
      const before = await this.#read(name)
      const old = before && readEntry(before)
      this.#checkRoom(peer, value.length - (before?.length ?? 0), old?.peer === peer)
      this.#note(name)
      await this.#datastore.put(this.#key(name), value)
      // once more: all may have been looked through while it was not there yet
      this.#note(name)
      if (before !== undefined && old !== undefined && old.peer !== this.#self) add(this.#ofPeer, this.#all, old.peer, -1, -before.length)
      if (peer !== this.#self) add(this.#ofPeer, this.#all, peer, 1, value.length)
    })
  }

  #checkRoom(peer: string, growth: number, replaces: boolean): void {
    if (peer === this.#self) return
    const { count, bytes, ofPeer } = this.#limits
    const full = routingPluginErrors.E_DHT_FULL
    if (!replaces && (this.#ofPeer.get(peer)?.count ?? 0) >= ofPeer)
      throw full(`records of ${peer}`, ofPeer, 'plugins.routing.maxRecordsOfPeer')
    if (!replaces && this.#all.count >= count) throw full('records', count, 'plugins.routing.maxRecords')
    if (this.#all.bytes + growth > bytes) throw full('bytes of records', bytes, 'plugins.routing.maxRecordBytes')
  }

  /** Removes what is too old, unless it was renewed meanwhile. */
  #remove(name: string): Promise<void> {
    return this.#lock.run(name, async () => {
      const value = await this.#stored(name)
      const entry = value && readEntry(value)
      if (entry === undefined || this.#isOver(entry)) await this.#datastore.delete(this.#key(name))
    })
  }

  #note(name: string): void {
    for (const seen of [this.#seen, this.#next]) seen?.add(firstPart(name))
  }

  #mayHave(name: string): boolean {
    return this.#seen?.mayHave(firstPart(name)) ?? true
  }

  async #read(name: string): Promise<Uint8Array | undefined> {
    return this.#mayHave(name) ? this.#stored(name) : undefined
  }

  async #stored(name: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#datastore.get(this.#key(name))
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFoundError') return undefined
      throw error
    }
  }

  #key(name: string): Key {
    return new Key(this.#prefix + name)
  }

  #nameOf(key: Key): string {
    return key.toString().slice(this.#prefix.length)
  }

  #isOver({ time }: StoredRecord): boolean {
    return this.#now() - time > this.#limits.validity
  }
}

const firstPart = (name: string) => name.split('/', 1)[0]!

function add(usages: Map<string, Usage>, all: Usage, peer: string, count: number, bytes: number): void {
  const usage = usages.get(peer) ?? { count: 0, bytes: 0 }
  usage.count += count
  usage.bytes += bytes
  all.count += count
  all.bytes += bytes
  if (usage.count > 0) usages.set(peer, usage)
  else usages.delete(peer)
}

/** The record in a value; undefined for one that is damaged. */
function readEntry(value: Uint8Array): StoredRecord | undefined {
  try {
    const fields = new Map(readFields(value))
    const [peer, time, bytes] = [fields.get(FIELD.PEER), fields.get(FIELD.TIME), fields.get(FIELD.BYTES)]
    if (!(peer instanceof Uint8Array) || typeof time !== 'number') return undefined
    return { peer: Buffer.from(peer).toString(), time, bytes: bytes instanceof Uint8Array ? bytes : new Uint8Array() }
  } catch {
    return undefined
  }
}
