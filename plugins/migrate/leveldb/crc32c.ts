/** CRC-32C (Castagnoli), reflected. */
const POLYNOMIAL = 0x82f63b78

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
  return crc
})

/** The number that LevelDB adds to a sum that it stores, so that a sum over bytes with sums in them is not a bad one (doc/log_format.md). */
const MASK = 0xa282ead8

/** The sum of these pieces one after the other, as LevelDB stores it: rotated and masked. */
export function maskedSum(...pieces: readonly Uint8Array[]): number {
  let crc = 0xffffffff
  for (const piece of pieces) for (let i = 0; i < piece.length; i++) crc = table[(crc ^ piece[i]!) & 0xff]! ^ (crc >>> 8)
  crc = ~crc
  return (((crc >>> 15) | (crc << 17)) + MASK) >>> 0
}
