import { Cursor } from './cursor.ts'

/** Most that a block of a table may say it has, in bytes: many times what LevelDB makes. */
const MOST = 64 * 1024 * 1024

/**
 * The bytes behind snappy's block format (google/snappy, format_description.txt): a length, then literals and copies of what came before.
 *
 * @throws E_LEVELDB_FILE
 */
export function decompress(bytes: Uint8Array, file: string): Uint8Array {
  const cursor = new Cursor(bytes, file)
  const length = cursor.varint()
  if (length > MOST) throw cursor.fault(`a block says that it has ${length} bytes`)
  const out = new Uint8Array(length)
  let end = 0
  while (!cursor.isAtEnd) {
    const tag = cursor.byte()
    const kind = tag & 3
    if (kind === 0) {
      const size = tag >>> 2
      const literal = cursor.take(1 + (size < 60 ? size : littleEndian(cursor, size - 59)))
      if (literal.length > length - end) throw cursor.fault('a block has more than it says')
      out.set(literal, end)
      end += literal.length
      continue
    }
    const size = kind === 1 ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2)
    const offset = kind === 1 ? ((tag >>> 5) << 8) | cursor.byte() : littleEndian(cursor, kind === 2 ? 2 : 4)
    if (offset === 0 || offset > end || size > length - end) throw cursor.fault('a block copies what is not there')
    // byte by byte: what is copied may overlap what it is copied to
    for (const stop = end + size; end < stop; end++) out[end] = out[end - offset]!
  }
  if (end !== length) throw cursor.fault('a block has less than it says')
  return out
}

function littleEndian(cursor: Cursor, size: number): number {
  let value = 0
  for (let i = 0; i < size; i++) value += cursor.byte() * 2 ** (8 * i)
  return value
}
