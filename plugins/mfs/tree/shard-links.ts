import { joined } from '../../../core/blocks/index.ts'
import { addSizes, type Size } from '../../../core/dag/node-links.ts'
import { openPb } from '../../../core/dag/pb.ts'
import { type PbLinkBytes, writePb } from '../../../core/dag/pb-write.ts'
import { byteString, encodeUtf8 } from '../../../core/go/utf8.ts'
import { checkLabel, isShardLink, type Shard, takenSlots } from '../../../core/unixfs/export/hamt.ts'
import type { LoadedBlock } from '../../../core/unixfs/export/node.ts'

const MANY = 32
const FEW = 8

type Numbers = readonly number[] | Uint32Array | Uint16Array

/** A link of a shard: the name is the slot's label, followed by that of the entry where it leads to none of the shards below. */
export interface ShardLink {
  readonly name: string
  readonly cid: Uint8Array
  readonly size: Size
}

/** The links of a shard as bytes, sorted by their slots: most are neither looked at nor changed while those around them are. */
export class ShardLinks {
  /** The links as bytes; few of them as a character a byte: most shards have few, and an array takes more memory than they do. */
  readonly #bytes: Uint8Array | string
  /** Where each begins, and the last ends. */
  readonly #starts: Numbers
  readonly slots: Numbers
  /** Sum of their Tsizes. */
  readonly sizes: Size

  constructor(bytes: Uint8Array, starts: Numbers, slots: Numbers, sizes: Size) {
    this.#bytes = slots.length < FEW ? byteString(bytes.subarray(0, starts.at(-1))) : bytes
    // Each typed array is three objects: it pays for itself from some numbers on. A list is copied, as one that grew has room to spare.
    this.#starts = slots.length < MANY ? [...starts] : Uint32Array.from(starts)
    this.slots = slots.length < MANY ? [...slots] : Uint16Array.from(slots)
    this.sizes = sizes
  }

  /**
   * The links of a block.
   *
   * @returns undefined where they are not as they would be written, or not in the order of their slots
   */
  static from({ bytes, node }: LoadedBlock, slots: readonly number[], fanout: number): ShardLinks | undefined {
    if (slots.some((slot, i) => !(slot < fanout) || slot <= (slots[i - 1] ?? -1))) return undefined
    const starts = [0]
    let sizes: Size = 0
    let end = 0
    for (let i = 0; i < node.length; i++) {
      const size = node.size(i)
      end += writePb([{ cid: node.cid(i).bytes, name: encodeUtf8(node.name(i)), size }], undefined).length
      starts.push(end)
      sizes = addSizes(sizes, size)
    }
    // There is no shorter form, so that a block of that length has it, if its links come first.
    const isUsual = bytes[0] === LINK && end + writePb([], node.data).length === bytes.length
    return isUsual ? new ShardLinks(bytes, starts, slots, sizes) : undefined
  }

  /** The place of a slot's link; -1: there is none. */
  find(slot: number): number {
    const { slots } = this
    let [from, to] = [0, slots.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (slots[middle]! < slot) from = middle + 1
      else to = middle
    }
    return slots[from] === slot ? from : -1
  }

  /** A link, its CID a copy: it may outlive the block. */
  link(index: number): ShardLink {
    const { cid, name = '', tsize = 0 } = openPb(this.#between(index, index + 1)).link(0)
    return { name, cid: cid.bytes, size: tsize }
  }

  /** These links, but those of some slots, and others instead. `replaced` are slots of `others`, and those whose link goes. */
  with(replaced: ReadonlySet<number>, others: ReadonlyArray<PbLinkBytes & { slot: number; size: Size }>): ShardLinks {
    const pieces: Uint8Array[] = []
    const slots: number[] = []
    const starts = [0]
    let { sizes } = this
    let end = 0
    // Links that stay and follow each other are copied as one.
    let from = 0
    const copy = (to: number) => {
      if (from < to) pieces.push(this.#between(from, to))
    }
    const next = [...others].sort((a, b) => b.slot - a.slot)
    const putBefore = (slot: number, index: number) => {
      while (next.length > 0 && next.at(-1)!.slot < slot) {
        copy(index)
        from = index
        const other = next.pop()!
        const bytes = writePb([other], undefined)
        pieces.push(bytes)
        slots.push(other.slot)
        end += bytes.length
        starts.push(end)
        sizes = addSizes(sizes, other.size)
      }
    }
    for (const [index, slot] of this.slots.entries()) {
      putBefore(slot, index)
      if (replaced.has(slot)) {
        copy(index)
        from = index + 1
        sizes = addSizes(sizes, -openPb(this.#between(index, index + 1)).size(0))
        continue
      }
      slots.push(slot)
      end += this.#starts[index + 1]! - this.#starts[index]!
      starts.push(end)
    }
    putBefore(Number.POSITIVE_INFINITY, this.slots.length)
    copy(this.slots.length)
    return new ShardLinks(joined(pieces), starts, slots, sizes)
  }

  /** A dag-pb block of these links and some data; they lie in it from now on. */
  block(data: Uint8Array): { bytes: Uint8Array; links: ShardLinks } {
    const end = this.#starts.at(-1)!
    const tail = writePb([], data)
    const bytes = new Uint8Array(end + tail.length)
    bytes.set(this.#between(0, this.slots.length))
    bytes.set(tail, end)
    return { bytes, links: new ShardLinks(bytes, this.#starts, this.slots, this.sizes) }
  }

  #between(from: number, to: number): Uint8Array {
    const [start, end] = [this.#starts[from], this.#starts[to]]
    return typeof this.#bytes === 'string' ? Buffer.from(this.#bytes.slice(start, end), 'latin1') : this.#bytes.subarray(start, end)
  }
}

/** The slots of a node's links. @throws E_HAMT_LINK, E_HAMT_LABEL */
export function slotsOf({ cid, node }: LoadedBlock, shard: Shard): number[] {
  const slots = takenSlots(shard)
  for (const [i, slot] of slots.entries()) {
    isShardLink(shard, node.name(i))
    checkLabel(shard, slot, node.name(i), cid)
  }
  return slots
}

/** Tag of a link in a dag-pb block. */
const LINK = 0x12
