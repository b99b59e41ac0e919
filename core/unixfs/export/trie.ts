import type { CID } from 'multiformats/cid'
import { cidToString } from '../../cid/parse.ts'
import { HASH_BYTES, hashOfName } from '../hash-of-name.ts'
import { decodeUnixFs } from './data.ts'
import { unixfsErrors } from './errors.ts'
import { checkLabel, isShardLink, readShard, type Shard, takenSlots } from './hamt.ts'
import type { LoadedBlock } from './node.ts'

export const HASH_BITS = 8 * HASH_BYTES

/** The shard of a directory that a block is. @throws E_NOT_PROTOBUF, and what {@link readShard} does */
export function loadShard({ cid, kind, node }: LoadedBlock): Shard {
  if (kind !== 'dag-pb') throw unixfsErrors.E_NOT_PROTOBUF()
  return readShard(decodeUnixFs(node.data), node, cid)
}

/** The same of a shard that another leads to, which has entries: without one, a few blocks would be a walk without an end. @throws E_HAMT_EMPTY */
export function loadShardBelow(loaded: LoadedBlock): Shard {
  const shard = loadShard(loaded)
  if (loaded.node.length === 0) throw unixfsErrors.E_HAMT_EMPTY(cidToString(loaded.cid))
  return shard
}

/**
 * A shard at its place in a trie. An entry is where its name's hash leads, as a look-up would not find it elsewhere; so no walk meets more than
 * a hash's bits of shards for each entry. It has nothing of the shard's block.
 */
export class PlacedShard {
  readonly padding: number
  readonly #cid: CID
  readonly #bits: number
  readonly #slots: Uint16Array
  /** Bits of a hash that the shards above take, and what they are. */
  readonly #taken: number
  readonly #prefix: bigint

  /** @throws E_HAMT_DEPTH */
  constructor(shard: Shard, cid: CID, taken = 0, prefix = 0n) {
    if (taken + shard.bits > HASH_BITS) throw unixfsErrors.E_HAMT_DEPTH(cidToString(cid), HASH_BITS)
    this.padding = shard.padding
    this.#cid = cid
    this.#bits = shard.bits
    this.#slots = Uint16Array.from(takenSlots(shard))
    this.#taken = taken
    this.#prefix = prefix
  }

  /** Memory that it takes, in bytes. */
  get held(): number {
    return this.#slots.byteLength
  }

  /** Whether a link leads to a deeper shard, and not to an entry. @throws E_HAMT_LINK, E_HAMT_LABEL */
  leadsDeeper(index: number, link: string): boolean {
    const isDeeper = isShardLink(this, link)
    checkLabel(this, this.#slots[index]!, link, this.#cid)
    return isDeeper
  }

  /** The name of an entry. @throws E_HAMT_PLACE for one whose hash leads elsewhere */
  entry(index: number, link: string): string {
    const name = link.slice(this.padding)
    const taken = this.#taken + this.#bits
    if (firstBits(hashOfName(name), taken) !== this.#way(index)) throw unixfsErrors.E_HAMT_PLACE(name, cidToString(this.#cid))
    return name
  }

  /** The shard that a link leads to. @throws E_HAMT_EMPTY, E_HAMT_DEPTH, and what {@link loadShard} does */
  below(index: number, loaded: LoadedBlock): PlacedShard {
    return new PlacedShard(loadShardBelow(loaded), loaded.cid, this.#taken + this.#bits, this.#way(index))
  }

  #way(index: number): bigint {
    return (this.#prefix << BigInt(this.#bits)) | BigInt(this.#slots[index]!)
  }
}

function firstBits(hash: Uint8Array, count: number): bigint {
  return new DataView(hash.buffer, hash.byteOffset, HASH_BYTES).getBigUint64(0) >> BigInt(HASH_BITS - count)
}
