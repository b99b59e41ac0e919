import type { CID } from 'multiformats/cid'
import { MURMUR3_64 } from '../../cid/codes.ts'
import { cidToString } from '../../cid/parse.ts'
import type { NodeLinks } from '../../dag/node-links.ts'
import { encodeUtf8 } from '../../go/utf8.ts'
import { HASH_BYTES } from '../hash-of-name.ts'
import { UnixFsType } from '../types.ts'
import type { UnixFsData } from './data.ts'
import { unixfsErrors } from './errors.ts'

/** The widest shard that is read (Kubo 0.28, go-unixfsnode/hamt). */
export const MAX_FANOUT = 1024
export const LEAST_FANOUT = 8

/** Whether shards that are made may have so many slots. */
export function isFanout(fanout: number): boolean {
  return fanout >= LEAST_FANOUT && fanout <= MAX_FANOUT && (fanout & (fanout - 1)) === 0
}

/** A sharded directory's node, checked. */
export interface Shard {
  readonly fanout: number
  /** Bits of a name's hash that a level takes. */
  readonly bits: number
  /** Hexadecimal digits before every name. */
  readonly padding: number
  /** Which slots are taken: a big-endian number, leading zeros left out. */
  readonly bitfield: Uint8Array
}

/**
 * Checks a shard before anything is done because of what it declares. Its bit field says where its links are: listings and look-ups take it from there.
 *
 * @param cid - of the block that it is of
 * @throws E_HAMT_TYPE, E_HAMT_HASH, E_HAMT_FANOUT, E_HAMT_BITFIELD, E_HAMT_WIDTH, E_HAMT_SLOTS
 */
export function readShard({ type, hashType, fanout = 0, data }: UnixFsData, { length }: NodeLinks, cid: CID): Shard {
  if (type !== UnixFsType.HAMTShard) throw unixfsErrors.E_HAMT_TYPE()
  if (hashType !== MURMUR3_64) throw unixfsErrors.E_HAMT_HASH()
  if (fanout > MAX_FANOUT) throw unixfsErrors.E_HAMT_WIDTH(fanout, MAX_FANOUT)
  if (fanout === 0 || (fanout & (fanout - 1)) !== 0) throw unixfsErrors.E_HAMT_FANOUT()
  if (fanout % 8 !== 0) throw unixfsErrors.E_HAMT_BITFIELD(fanout)
  const padding = (fanout - 1).toString(16).length
  const shard = { fanout, bits: Math.log2(fanout), padding, bitfield: data ?? new Uint8Array(0) }
  const slots = takenSlots(shard).length
  if (slots !== length) throw unixfsErrors.E_HAMT_SLOTS(cidToString(cid), length, slots)
  return shard
}

/** The slots that are taken, in order: so its links are. */
export function takenSlots({ fanout, bitfield }: Pick<Shard, 'fanout' | 'bitfield'>): number[] {
  const slots: number[] = []
  for (let slot = 0; slot < fanout; slot++) if (bitIsSet(bitfield, slot)) slots.push(slot)
  return slots
}

/** The digits before the name of a link in a slot. */
export function labelOf(slot: number, { padding }: Pick<Shard, 'padding'>): string {
  return slot.toString(16).toUpperCase().padStart(padding, '0')
}

/** @throws E_HAMT_LABEL for a link that names another slot than the one it is in */
export function checkLabel(shard: Pick<Shard, 'padding'>, slot: number, link: string, cid: CID): void {
  const label = labelOf(slot, shard)
  if (link.slice(0, shard.padding).toUpperCase() !== label) throw unixfsErrors.E_HAMT_LABEL(cidToString(cid), link, label)
}

/**
 * Whether a link of a shard leads to a deeper shard. Otherwise it is an entry, whose name follows the padding.
 *
 * @throws E_HAMT_LINK when its name is too short for either
 */
export function isShardLink({ padding }: Pick<Shard, 'padding'>, name: string): boolean {
  if (name.length > padding) return false
  const length = encodeUtf8(name).length
  if (length < padding) throw unixfsErrors.E_HAMT_LINK(name)
  return length === padding
}

/**
 * The slot of a hash, of which the shards above have taken the first `from` bits; undefined when too few are left.
 *
 * @param at - where the hash begins
 */
export function slotAt({ bits }: Pick<Shard, 'bits'>, hash: Uint8Array, from: number, at = 0): number | undefined {
  const end = from + bits
  if (end > 8 * HASH_BYTES) return undefined
  let slot = 0
  for (let bit = from; bit < end; bit++) slot = (slot << 1) | ((hash[at + (bit >> 3)]! >> (7 - (bit & 7))) & 1)
  return slot
}

/** The number of the link in a slot; undefined when the slot is free. */
export function linkInSlot({ bitfield }: Shard, slot: number, node: NodeLinks): number | undefined {
  if (!bitIsSet(bitfield, slot)) return undefined
  let before = 0
  for (let i = 0; i < slot; i++) if (bitIsSet(bitfield, i)) before++
  return before < node.length ? before : undefined
}

function bitIsSet(bitfield: Uint8Array, bit: number): boolean {
  const byte = bitfield[bitfield.length - 1 - (bit >> 3)]
  return byte !== undefined && (byte & (1 << (bit & 7))) !== 0
}
