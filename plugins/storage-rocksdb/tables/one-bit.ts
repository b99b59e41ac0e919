/** Finds the one bit that is wrong in bytes with a CRC of 32 bits, in the time that it takes to sum them up. */

/** What a CRC makes of each byte; the polynomial has its lowest bit first. */
export function crcTable(polynomial: number): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ polynomial : sum >>> 1
    return sum
  })
}

/**
 * Turns it back.
 *
 * @param difference - between the sum of all bytes up to `end`, and what it should be
 * @returns the place of its byte; undefined where no single bit of those from `from` on makes the difference
 */
export function turnBack(
  bytes: Buffer,
  { from, end, difference, table }: { from: number; end: number; difference: number; table: Int32Array }
): number | undefined {
  // Two texts that differ in one bit have sums that differ by what that bit alone gives, which goes on with each byte behind it.
  const one = Int32Array.from({ length: 8 }, (_, bit) => table[1 << bit]!)
  for (let byte = end - 1; byte >= from; byte--) {
    const bit = one.indexOf(difference)
    if (bit >= 0) {
      bytes[byte]! ^= 1 << bit
      return byte
    }
    for (let i = 0; i < 8; i++) one[i] = (one[i]! >>> 8) ^ table[one[i]! & 255]!
  }
  return undefined
}
