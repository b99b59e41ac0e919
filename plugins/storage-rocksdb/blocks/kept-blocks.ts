import type { Database } from '../database/database.ts'
import { ValueCache } from '../database/value-cache.ts'
import type { Write } from '../database/writes.ts'
import { type BlockValue, decodeValue, isInlineKind, isSegmentValue, type Place, segmentValue } from './values.ts'

/** Large blocks up to this size are mostly inner nodes of files and folders, which are read again and again: their bytes are kept too. */
const NODE_BYTES = 16 * 1024

/** When a look-up began. */
interface Moment {
  /** That of the cache. */
  readonly removals: number
  /** How many values had been written and not kept. */
  readonly passed: number
}

/** The blocks' keys of which the values are kept in memory, the bytes of nodes, and of the block that was read last. */
export class KeptBlocks {
  readonly #database: Database
  readonly #values: ValueCache
  /** The large block that was read last: who reads a file a little at a time reads the same one again and again. */
  #last: { readonly multihash: Uint8Array; readonly bytes: Uint8Array } | undefined
  /** How many values were written and not kept. */
  #passed = 0

  /** @param bytes - that are kept at most */
  constructor(database: Database, bytes: number) {
    this.#database = database
    this.#values = new ValueCache(bytes)
    database.onWritten(writes => this.#follow(writes))
  }

  /** Forgets all of them. */
  clear(): void {
    this.#values.clear()
    this.#last = undefined
  }

  /** Forgets a block. */
  forget(multihash: Uint8Array): void {
    this.#forgetBytes(multihash)
    this.#values.delete(multihash)
  }

  /**
   * The bytes of a block, as far as they are kept, but for one that nobody reads in one piece.
   *
   * @param isWhole - asked once of what is kept; undefined is returned where it says no
   */
  bytesAtHand(multihash: Uint8Array, isWhole?: (bytes: Uint8Array) => boolean): Uint8Array | undefined {
    const value = this.#values.get(multihash)
    if (value === undefined) return undefined
    const found = decodeValue(value)
    if (found.kind === 'inline') return this.#wholeOf(multihash, found.bytes, isWhole)
    if (found.kind !== 'segment' || found.size > NODE_BYTES) return undefined
    return this.#wholeOf(bytesKey(multihash), this.bytes(multihash, found), isWhole)
  }

  /** @param key - of the cache, under which the bytes are kept */
  #wholeOf(key: Uint8Array, bytes: Uint8Array | undefined, isWhole: ((bytes: Uint8Array) => boolean) | undefined): Uint8Array | undefined {
    if (bytes === undefined || isWhole === undefined || this.#values.isMarked(key)) return bytes
    if (!isWhole(bytes)) return undefined
    this.#values.mark(key)
    return bytes
  }

  /** The value of a block's key. What is known without a way to another thread is there at once. */
  value(multihash: Uint8Array): Uint8Array | Promise<Uint8Array | undefined> {
    return this.#values.get(multihash) ?? this.#lookUp(multihash)
  }

  /** Whether the block is there with its bytes, as far as that can be said at once: not where they lie beside the key, as they may be lost. */
  knows(multihash: Uint8Array): boolean {
    const kind = this.#values.firstByte(multihash)
    return kind !== undefined && isInlineKind(kind)
  }

  /** The same of several. @param cold - whether what is looked up need not be kept */
  async valuesOf(multihashes: readonly Uint8Array[], cold = false): Promise<Array<Uint8Array | undefined>> {
    const values = multihashes.map(multihash => this.#values.get(multihash))
    const missing = multihashes.filter((_, i) => values[i] === undefined)
    if (missing.length === 0) return values
    const moment = this.#moment
    const found = await this.#database.getAll('blocks', missing)
    if (!cold) for (const [i, multihash] of missing.entries()) this.#keepFound(multihash, found[i], moment)
    if (missing.length === multihashes.length) return [...found]
    const left = found.values()
    return values.map(value => value ?? left.next().value)
  }

  /** Whether the keys of several are there. Their values are not kept: whoever asks that of a whole graph reads none of them soon. */
  async hasAll(multihashes: readonly Uint8Array[]): Promise<boolean[]> {
    const known = multihashes.map(multihash => this.#values.has(multihash))
    const asked = multihashes.filter((_, i) => !known[i])
    if (asked.length === 0) return known
    const left = (await this.#database.getAll('blocks', asked)).values()
    return known.map(isKnown => isKnown || left.next().value !== undefined)
  }

  async #lookUp(multihash: Uint8Array): Promise<Uint8Array | undefined> {
    const moment = this.#moment
    const value = await this.#database.get('blocks', multihash)
    this.#keepFound(multihash, value, moment)
    return value
  }

  get #moment(): Moment {
    return { removals: this.#values.moment, passed: this.#passed }
  }

  /** Keeps what was looked up since then, unless it may have changed: a value may come to hold the bytes themselves, and stays so. */
  #keepFound(multihash: Uint8Array, value: Uint8Array | undefined, { removals, passed }: Moment): void {
    if (value === undefined || (passed !== this.#passed && !isInlineKind(value[0]!))) return
    this.#values.found(multihash, value, removals)
  }

  #follow(writes: readonly Write[]): void {
    for (const { family, key, value, cold } of writes) {
      if (family !== 'blocks') continue
      // A segment has it because it is new, or written anew where its bytes were lost.
      if (value === undefined || isSegmentValue(value)) this.#forgetBytes(key)
      if (value === undefined) this.#values.delete(key)
      else if (!cold || this.#values.has(key)) this.#values.set(key, value)
      else this.#passed++
    }
  }

  /** The bytes of a block that lie in a segment, where they are kept. */
  bytes(multihash: Uint8Array, { size }: BlockValue & Place): Uint8Array | undefined {
    if (size <= NODE_BYTES) return this.#values.get(bytesKey(multihash))
    return this.#last !== undefined && areEqual(this.#last.multihash, multihash) ? this.#last.bytes : undefined
  }

  /** Keeps all bytes of a block that were read at a place. */
  keepBytes(multihash: Uint8Array, place: BlockValue & Place, bytes: Uint8Array): void {
    if (!this.#liesAt(multihash, place)) return
    if (place.size <= NODE_BYTES) this.#values.set(bytesKey(multihash), bytes)
    else this.#last = { multihash, bytes }
  }

  /** Whether that is known to be the block's place still: what was read elsewhere may be what was lost there. */
  #liesAt(multihash: Uint8Array, place: Place): boolean {
    const now = this.#values.get(multihash)
    return now !== undefined && areEqual(now, segmentValue(place))
  }

  #forgetBytes(multihash: Uint8Array): void {
    const key = bytesKey(multihash)
    if (this.#values.has(key)) this.#values.delete(key)
    if (this.#last !== undefined && areEqual(this.#last.multihash, multihash)) this.#last = undefined
  }
}

/** The key under which the cache has the bytes of a block that lie in a segment; no multihash ends like this. */
function bytesKey(multihash: Uint8Array): Uint8Array {
  const key = new Uint8Array(multihash.byteLength + 1)
  key.set(multihash)
  return key
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
