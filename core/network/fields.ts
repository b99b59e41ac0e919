import { OVERFLOW, VarintReader, varintSize, writeVarint } from '../cid/varint.ts'
import { FIXED_32, FIXED_64, LENGTH_DELIMITED, VARINT } from '../dag/protobuf.ts'

/** A field of a protobuf message between peers: octets, or a number. */
export type Field = readonly [number: number, value: Uint8Array | number]

/** The error of a message that cannot be read. */
export type Malformed = (why: string) => Error

/** The unsigned number at `at`, the nearest where it is beyond 2^53, and where it ends; undefined where the octets end before it does. */
export function varintAt(bytes: Uint8Array, at: number, malformed: Malformed): readonly [value: number, end: number] | undefined {
  const reader = new VarintReader(bytes, at)
  const value = reader.varint(bytes.length)
  if (value === OVERFLOW) throw malformed('a number of more than 64 bits')
  return value < 0 ? undefined : [value, reader.at]
}

/** The fields of a message in their order; those of fixed size are passed over. */
export function* readFields(bytes: Uint8Array, malformed: Malformed): Generator<Field> {
  const number = (from: number) => {
    const found = varintAt(bytes, from, malformed)
    if (found === undefined) throw malformed('it ends within a number')
    return found
  }
  for (let at = 0; at < bytes.length; ) {
    const [tag, start] = number(at)
    const field = Math.floor(tag / 8)
    switch (tag % 8) {
      case VARINT: {
        const [value, end] = number(start)
        yield [field, value]
        at = end
        break
      }
      case LENGTH_DELIMITED: {
        const [size, from] = number(start)
        if (size > bytes.length - from) throw malformed('it ends within a field')
        yield [field, bytes.subarray(from, from + size)]
        at = from + size
        break
      }
      case FIXED_64:
        at = start + 8
        break
      case FIXED_32:
        at = start + 4
        break
      default:
        throw malformed(`wire type ${tag % 8}`)
    }
  }
}

/** A message of fields in their order. */
export function writeFields(fields: Iterable<Field>): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [number, value] of fields) {
    if (typeof value === 'number') parts.push(varint(number * 8 + VARINT), varint(value))
    else parts.push(varint(number * 8 + LENGTH_DELIMITED), varint(value.length), value)
  }
  return Buffer.concat(parts)
}

export function varint(value: number): Uint8Array {
  const out = new Uint8Array(varintSize(value))
  writeVarint(value, out, 0)
  return out
}
