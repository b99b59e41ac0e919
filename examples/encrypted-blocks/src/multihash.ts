/**
 * In the place of a hash function: of the multicodec table's range for private use, as no function known to others gives these digests, so that
 * no store holds sealed bytes against them.
 */
const SEALED = 0x3ec0de

/** The multihash under which a store keeps a sealed block. */
export function sealedMultihash(name: Uint8Array): Uint8Array {
  return Uint8Array.from([...varint(SEALED), ...varint(name.length), ...name])
}

/** The sealed name in a multihash; undefined for any other multihash. */
export function nameIn(multihash: Uint8Array): Uint8Array | undefined {
  const code = varint(SEALED)
  if (!code.every((byte, i) => multihash[i] === byte)) return undefined
  const length = multihash.findIndex((byte, i) => i >= code.length && byte < 0x80)
  return multihash.subarray(length + 1)
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
