/** A number as a varint. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}
