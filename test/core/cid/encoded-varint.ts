/** A number as a varint. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = []
  let remaining = BigInt(value)
  for (; remaining > 127n; remaining >>= 7n) bytes.push(Number(remaining & 127n) | 128)
  return Buffer.from([...bytes, Number(remaining)])
}
