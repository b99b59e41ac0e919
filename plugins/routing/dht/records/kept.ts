import { KeyedLock, Turns } from '../../../../core/concurrency/index.ts'
import { type Datastore, Key } from '../../../../core/index.ts'
import { routingPluginErrors } from '../../errors.ts'
import { type Field, readFields, writeFields } from '../wire.ts'
import { Seen } from './seen.ts'

/** Something that is kept for a peer, or by this node for itself. */
interface StoredRecord {
  /** base58 of who sent it. */
  readonly peer: string
  /** The network address that it came from; the peer itself where that is not known. */
  readonly origin: string
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

/** Where records are full, and by which setting. */
export type OnFull = (what: string, setting: string) => void

interface Usage {
  count: number
  bytes: number
}

/** The parts of what is kept that one peer, and one network address, may have: of bytes, and of records where more than one peer's share. */
export const [PEER_PART, ORIGIN_PART] = [8, 4]

/** Origins by how much each has, so that the one with the most is found without looking at all. */
class Ranking {
  readonly #ranks = new Map<number, Set<string>>()
  #highest = 0

  move(origin: string, from: number, to: number): void {
    if (from === to) return
    const left = this.#ranks.get(from)
    if (left?.delete(origin) === true && left.size === 0) this.#ranks.delete(from)
    if (to === 0) return
    const joined = this.#ranks.get(to)
    if (joined === undefined) this.#ranks.set(to, new Set([origin]))
    else joined.add(origin)
    this.#highest = Math.max(this.#highest, to)
  }

  get first(): string | undefined {
    while (this.#highest > 0 && !this.#ranks.has(this.#highest)) this.#highest--
    return this.#ranks.get(this.#highest)?.keys().next().value
  }
}

/** The rank of so many bytes: within a KiB nobody has more. */
const rankOfBytes = (bytes: number) => Math.ceil(bytes / 1024)

/** What is kept, by peers and by the network addresses that it came from. */
class Holdings {
  readonly all: Usage = { count: 0, bytes: 0 }
  readonly #peers = new Map<string, Usage>()
  /** The names of an origin with their sizes, the oldest first. */
  readonly #origins = new Map<string, { bytes: number; readonly sizes: Map<string, number> }>()
  readonly #ranking = { count: new Ranking(), bytes: new Ranking() }

  ofPeer(peer: string): Readonly<Usage> {
    return this.#peers.get(peer) ?? { count: 0, bytes: 0 }
  }

  ofOrigin(origin: string): Readonly<Usage> {
    const held = this.#origins.get(origin)
    return { count: held?.sizes.size ?? 0, bytes: held?.bytes ?? 0 }
  }

  has(origin: string, name: string): boolean {
    return this.#origins.get(origin)?.sizes.has(name) ?? false
  }

  add(origin: string, name: string, size: number): void {
    this.remove(origin, name)
    const held = this.#origins.get(origin) ?? { bytes: 0, sizes: new Map<string, number>() }
    this.#origins.set(origin, held)
    held.sizes.set(name, size)
    this.#grow(origin, held, 1, size)
  }

  remove(origin: string, name: string): void {
    const held = this.#origins.get(origin)
    const size = held?.sizes.get(name)
    if (held === undefined || size === undefined) return
    held.sizes.delete(name)
    if (held.sizes.size === 0) this.#origins.delete(origin)
    this.#grow(origin, held, -1, -size)
  }

  #grow(origin: string, held: { bytes: number; readonly sizes: ReadonlyMap<string, number> }, records: number, bytes: number): void {
    const { count, bytes: ofBytes } = this.#ranking
    count.move(origin, held.sizes.size - records, held.sizes.size)
    ofBytes.move(origin, rankOfBytes(held.bytes), rankOfBytes(held.bytes + bytes))
    held.bytes += bytes
    this.all.count += records
    this.all.bytes += bytes
  }

  count(peer: string, records: number, bytes: number): void {
    const usage = this.#peers.get(peer) ?? { count: 0, bytes: 0 }
    usage.count += records
    usage.bytes += bytes
    if (usage.count > 0) this.#peers.set(peer, usage)
    else this.#peers.delete(peer)
  }

  /** The origin with the most of something. */
  largest(measure: keyof Usage): string {
    return this.#ranking[measure].first ?? ''
  }

  /** The record of an origin that was kept for longest. */
  oldest(origin: string): string | undefined {
    return this.#origins.get(origin)?.sizes.keys().next().value
  }
}

/** Numbers of the fields of a value. */
const FIELD = { PEER: 1, TIME: 2, BYTES: 3, ORIGIN: 4 } as const

/**
 * The records that peers had this node keep, in the datastore under a prefix, by names without a slash at their ends. Bounded by count and bytes, in all,
 * by peer and by network address: where there is no room, the oldest of the address with the most gives way. What is older than its validity is not there, and is removed in time. Which names are there is remembered by their first parts, as most
 * that are told of are new: looking for them in vain would take longer than to keep them.
 */
export class KeptForOthers {
  readonly #datastore: Datastore
  readonly #prefix: string
  readonly #self: string
  readonly #limits: KeptLimits
  readonly #lock = new KeyedLock()
  readonly #now: () => number
  readonly #onFull: OnFull
  #held = new Holdings()
  /** The same, while all are looked through. */
  #nextHeld: Holdings | undefined
  /** Whether it was told since all were looked through. */
  #isToldFull = false
  /** The first parts of names that are there; undefined until all were looked through once. */
  #seen: Seen | undefined
  /** The same, while all are looked through. */
  #next: Seen | undefined

  constructor(
    datastore: Datastore,
    prefix: string,
    self: string,
    limits: KeptLimits,
    { now = Date.now, onFull = () => {} }: { readonly now?: () => number; readonly onFull?: OnFull } = {}
  ) {
    this.#datastore = datastore
    this.#prefix = prefix
    this.#self = self
    this.#limits = limits
    this.#now = now
    this.#onFull = onFull
  }

  /** The records that are kept for others. */
  get usage(): Readonly<Usage> {
    return this.#held.all
  }

  /** Counts what is there, and removes what is too old. Called before anything else, and then from time to time. */
  async sweep(signal?: AbortSignal): Promise<void> {
    const turns = new Turns(signal)
    const held = new Holdings()
    const seen = new Seen()
    this.#next = seen
    this.#nextHeld = held
    for await (const { key, value } of this.#datastore.query({ prefix: this.#prefix }, { signal })) {
      const entry = readEntry(value)
      const name = this.#nameOf(key)
      if (entry === undefined || this.#isOver(entry)) await this.#remove(name)
      else {
        seen.add(firstPart(name))
        if (entry.peer !== this.#self && !held.has(entry.origin, name)) {
          held.add(entry.origin, name, value.length)
          held.count(entry.peer, 1, value.length)
        }
      }
      if (turns.due) await turns.take()
    }
    if (this.#next !== seen) return
    // what went meanwhile is in it until the next time
    this.#held = held
    this.#seen = seen
    this.#next = undefined
    this.#nextHeld = undefined
    this.#isToldFull = false
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

  /**
   * Keeps the entry in the place of the one of that name; resolves when it survives the process.
   *
   * @param origin - the network address that it comes from
   * @throws E_DHT_FULL where the peer has its share, or the entry is beyond all there is
   */
  async put(name: string, peer: string, bytes: Uint8Array, origin = peer): Promise<void> {
    const gone = await this.#lock.run(name, async () => {
      const value = writeFields([
        [FIELD.PEER, Buffer.from(peer)],
        [FIELD.TIME, this.#now()],
        [FIELD.BYTES, bytes],
        ...(origin === peer ? [] : [[FIELD.ORIGIN, Buffer.from(origin)] as Field])
      ])
      const before = await this.#read(name)
      const old = before && readEntry(before)
      const others = old === undefined || old.peer === this.#self ? undefined : old
      const size = value.length
      if (peer !== this.#self) this.#checkShare(peer, old?.peer === peer ? size - before!.length : size, old?.peer === peer)
      if (others !== undefined) this.#forget(others.origin, name, others.peer, before!.length)
      const gone = peer === this.#self ? [] : this.#makeRoom(origin, size)
      if (peer !== this.#self) {
        for (const held of this.#holdings()) {
          held.add(origin, name, size)
          held.count(peer, 1, size)
        }
      }
      this.#note(name)
      await this.#datastore.put(this.#key(name), value)
      // once more: all may have been looked through while it was not there yet
      this.#note(name)
      return gone
    })
    await Promise.all(gone.map(([from, other]) => this.#evict(from, other)))
  }

  #checkShare(peer: string, growth: number, replaces: boolean): void {
    const { count, bytes, ofPeer } = this.#limits
    const full = routingPluginErrors.E_DHT_FULL
    const held = this.#held.ofPeer(peer)
    if (!replaces && held.count >= ofPeer) throw full(`records of ${peer}`, ofPeer, 'plugins.routing.maxRecordsOfPeer')
    if (count < 1) throw full('records', count, 'plugins.routing.maxRecords')
    if (held.bytes + growth > bytes / PEER_PART)
      throw full(`bytes of ${peer}`, bytes / PEER_PART, 'an eighth of plugins.routing.maxRecordBytes')
  }

  /** Gives up records for one of an origin: its own oldest beyond its share, and those of whoever has most. @returns their origins and names */
  #makeRoom(origin: string, size: number): Array<readonly [origin: string, name: string]> {
    const { count, bytes, ofPeer } = this.#limits
    const { all } = this.#held
    const gone: Array<readonly [string, string]> = []
    const give = (from: string): boolean => {
      const name = this.#held.oldest(from)
      if (name === undefined) return false
      for (const held of this.#holdings()) held.remove(from, name)
      gone.push([from, name])
      return true
    }
    const isBeyondShare = () => {
      const own = this.#held.ofOrigin(origin)
      return own.count >= Math.max(ofPeer, count / ORIGIN_PART) || own.bytes + size > bytes / ORIGIN_PART
    }
    while (isBeyondShare() && give(origin));
    while (all.count >= count && give(this.#held.largest('count'))) this.#tellFull('records', 'plugins.routing.maxRecords')
    while (all.bytes + size > bytes && give(this.#held.largest('bytes')))
      this.#tellFull('bytes of records', 'plugins.routing.maxRecordBytes')
    return gone
  }

  #tellFull(what: string, setting: string): void {
    if (this.#isToldFull) return
    this.#isToldFull = true
    this.#onFull(what, setting)
  }

  #holdings(): Holdings[] {
    return this.#nextHeld === undefined ? [this.#held] : [this.#held, this.#nextHeld]
  }

  #forget(origin: string, name: string, peer: string, size: number): void {
    for (const held of this.#holdings()) {
      held.remove(origin, name)
      held.count(peer, -1, -size)
    }
  }

  /** Removes what gave way, unless it was put again meanwhile. */
  #evict(origin: string, name: string): Promise<void> {
    return this.#lock.run(name, async () => {
      const value = await this.#stored(name)
      const entry = value && readEntry(value)
      if (entry === undefined || entry.origin !== origin || this.#held.has(origin, name)) return
      await this.#datastore.delete(this.#key(name))
      for (const held of this.#holdings()) held.count(entry.peer, -1, -value!.length)
    })
  }

  /** Removes an entry, whoever it is of. */
  remove(name: string): Promise<void> {
    return this.#lock.run(name, async () => {
      const value = await this.#stored(name)
      const entry = value && readEntry(value)
      await this.#datastore.delete(this.#key(name))
      if (entry !== undefined && entry.peer !== this.#self) this.#forget(entry.origin, name, entry.peer, value!.length)
    })
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

/** The record in a value; undefined for one that is damaged. */
function readEntry(value: Uint8Array): StoredRecord | undefined {
  try {
    const fields = new Map(readFields(value))
    const [by, time, bytes, from] = [FIELD.PEER, FIELD.TIME, FIELD.BYTES, FIELD.ORIGIN].map(field => fields.get(field))
    if (!(by instanceof Uint8Array) || typeof time !== 'number') return undefined
    const peer = Buffer.from(by).toString()
    const origin = from instanceof Uint8Array ? Buffer.from(from).toString() : peer
    return { peer, origin, time, bytes: bytes instanceof Uint8Array ? bytes : new Uint8Array() }
  } catch {
    return undefined
  }
}
