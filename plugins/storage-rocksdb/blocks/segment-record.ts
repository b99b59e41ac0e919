import type { Place } from './values.ts'

/** `HFB1`: every record begins so. */
export const MAGIC = 0x48464231
/** Magic, length of the multihash, length of the block: 32 bits each, big endian. The multihash and the bytes follow. */
export const HEADER = 12

/** A block in a segment, as a walk over one finds it. */
export interface SegmentRecord {
  readonly multihash: Uint8Array
  readonly place: Place
}

/** The header before the `size` bytes of a block. */
export function headOf(multihash: Uint8Array, size: number): Uint8Array {
  const head = Buffer.allocUnsafe(HEADER + multihash.byteLength)
  head.writeUInt32BE(MAGIC, 0)
  head.writeUInt32BE(multihash.byteLength, 4)
  head.writeUInt32BE(size, 8)
  head.set(multihash, HEADER)
  return head
}

/**
 * The records of a segment up to the first that is not whole.
 *
 * @param end - its size
 * @param readInto - fills memory from a place on; answers how many bytes there were
 */
export async function* recordsIn(
  segment: number,
  end: number,
  readInto: (bytes: Uint8Array, at: number) => Promise<number>
): AsyncGenerator<SegmentRecord> {
  const head = Buffer.allocUnsafe(HEADER + 256)
  for (let at = 0; at < end; ) {
    const there = await readInto(head, at)
    if (there < HEADER || head.readUInt32BE(0) !== MAGIC) return
    const [keyLength, size] = [head.readUInt32BE(4), head.readUInt32BE(8)]
    const offset = at + HEADER + keyLength
    if (offset + size > end) return
    let multihash = head.subarray(HEADER, HEADER + keyLength)
    if (HEADER + keyLength > there) {
      multihash = Buffer.allocUnsafe(keyLength)
      await readInto(multihash, at + HEADER)
    }
    yield { multihash: new Uint8Array(multihash), place: { segment, offset, size } }
    at = offset + size
  }
}
