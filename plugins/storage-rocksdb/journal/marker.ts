/** The key in `state` that each batch of RocksDB's writes as well. */
export const MARKER_KEY: Uint8Array = new TextEncoder().encode('journal')
const LENGTH = 12

/** How far RocksDB is: what the journal has beyond is to be replayed. */
interface Marker {
  /** The number of the last batch. */
  readonly number: number
  /** The number of the first file of the journal that counts: one with a lower number is over, though a power loss may bring it back. */
  readonly first: number
}

export function markerOf({ number, first }: Marker): Uint8Array {
  const value = Buffer.allocUnsafe(LENGTH)
  value.writeUIntBE(number, 0, 6)
  value.writeUIntBE(first, 6, 6)
  return value
}

/** @param value - undefined: nothing was written so far */
export function readMarker(value: Uint8Array | undefined): Marker {
  if (value?.byteLength !== LENGTH) return { number: 0, first: 0 }
  const bytes = Buffer.from(value.buffer, value.byteOffset, LENGTH)
  return { number: bytes.readUIntBE(0, 6), first: bytes.readUIntBE(6, 6) }
}
