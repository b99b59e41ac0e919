import { type Datastore, Key } from '../../core/index.ts'
import { placeOf } from '../../core/network/index.ts'
import { Turns } from '../../core/turns.ts'

/** The prefix of what a sweep tells: behind it the place of a key in the keyspace, and the key. */
const PREFIX = '/provide/keys/'

/** Leading bits of a place that are written out, so that any region of the keyspace is a prefix in the datastore. */
export const PLACE_BITS = 24

/** The end of the keyspace, in places of so many bits. */
export const END = 2 ** PLACE_BITS

/** Keys that are written at a time. */
export const KEYS_IN_BATCH = 1024

/** Multihashes that hold their block: whoever has the CID has it. */
const IDENTITY = 0

/** A key that is told of. */
export interface ProvidedKey {
  /** Where it lies: the first bits of its place, as a number. */
  readonly at: number
  readonly multihash: Uint8Array
}

/**
 * The keys that are told of, in the order of the keyspace, each once. They lie in the datastore, so that any number takes no memory. Each bears the
 * number of the listing that named it last: what a whole listing does not name any more goes.
 */
export class ProvideKeys {
  readonly #datastore: Datastore

  constructor(datastore: Datastore) {
    this.#datastore = datastore
  }

  async add(multihashes: Iterable<Uint8Array>, listing: number): Promise<void> {
    const batch = this.#datastore.batch()
    const value = listingValue(listing)
    for (const multihash of multihashes) if (multihash[0] !== IDENTITY) batch.put(keyOf(multihash), value)
    await batch.commit()
  }

  /**
   * Takes these in the place of all that there were, but for what was added under the same number meanwhile.
   *
   * @param rest - waits between batches
   * @returns how many there are
   */
  async replace(
    multihashes: AsyncIterable<Uint8Array>,
    listing: number,
    { signal, rest }: { signal: AbortSignal; rest(): Promise<void> }
  ): Promise<number> {
    const turns = new Turns(signal)
    const value = listingValue(listing)
    let batch = this.#datastore.batch()
    let waiting = 0
    const commit = async () => {
      await batch.commit()
      batch = this.#datastore.batch()
      waiting = 0
      await rest()
    }
    for await (const multihash of multihashes) {
      signal.throwIfAborted()
      if (multihash[0] !== IDENTITY) batch.put(keyOf(multihash), value)
      if (turns.due) await turns.take()
      if (++waiting >= KEYS_IN_BATCH) await commit()
    }
    await commit()
    let count = 0
    for await (const { key, value: found } of this.#datastore.query({ prefix: PREFIX }, { signal })) {
      if (Buffer.compare(found, value) === 0) count++
      else batch.delete(key)
      if (turns.due) await turns.take()
      if (++waiting >= KEYS_IN_BATCH) await commit()
    }
    await commit()
    return count
  }

  /** Those from one place up to another, in their order. */
  async *within(from: number, to: number): AsyncGenerator<ProvidedKey> {
    for (const [at, bits] of blocksOf(from, to)) {
      const prefix = `${PREFIX}${bitsOf(at, PLACE_BITS).slice(0, bits)}`
      for await (const key of this.#datastore.queryKeys({ prefix })) yield read(key)
    }
  }

  async first(from: number): Promise<ProvidedKey | undefined> {
    for await (const key of this.within(from, END)) return key
    return undefined
  }
}

/** The first bits of a place, as they are written. */
export function bitsOf(at: number, bits: number): string {
  return at.toString(2).padStart(bits, '0')
}

/** The first bits of a place in the keyspace as a number, at most 32. */
export function leading(place: Uint8Array, bits: number): number {
  const first = ((place[0]! << 24) | (place[1]! << 16) | (place[2]! << 8) | place[3]!) >>> 0
  return bits === 0 ? 0 : first >>> (32 - bits)
}

function keyOf(multihash: Uint8Array): Key {
  const bits = bitsOf(leading(placeOf(multihash), PLACE_BITS), PLACE_BITS)
  return new Key(`${PREFIX}${bits}/${Buffer.from(multihash).toString('base64url')}`, false)
}

function read(key: Key): ProvidedKey {
  const text = key.toString()
  return {
    at: Number.parseInt(text.slice(PREFIX.length, PREFIX.length + PLACE_BITS), 2),
    multihash: Buffer.from(text.slice(PREFIX.length + PLACE_BITS + 1), 'base64url')
  }
}

function listingValue(listing: number): Uint8Array {
  const value = Buffer.alloc(4)
  value.writeUInt32BE(listing)
  return value
}

/** The largest regions that a range consists of: each begins at a place that its leading bits name alone. */
function* blocksOf(from: number, to: number): Generator<readonly [at: number, bits: number]> {
  for (let at = from; at < to; ) {
    let bits = PLACE_BITS
    while (bits > 0 && at % 2 ** (PLACE_BITS - bits + 1) === 0 && at + 2 ** (PLACE_BITS - bits + 1) <= to) bits--
    yield [at, bits]
    at += 2 ** (PLACE_BITS - bits)
  }
}
