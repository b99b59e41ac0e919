import { routingPluginErrors } from '../errors.ts'

/** A field of a protobuf message: octets, or a number. */
export type Field = readonly [number: number, value: Uint8Array | number]

const VARINT = 0
const FIXED_64 = 1
const DELIMITED = 2
const FIXED_32 = 5

/** Octets of a varint of 64 bits. */
const MOST_VARINT = 10

/** The unsigned number at `at`, the nearest where it is beyond 2^53, and where it ends; undefined where the octets end before it does. */
export function varintAt(bytes: Uint8Array, at: number): readonly [value: number, end: number] | undefined {
  let value = 0
  for (let i = 0; i < MOST_VARINT; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 128 ** i
    if (byte < 0x80) return [value, at + i + 1]
  }
  throw routingPluginErrors.E_DHT_MESSAGE('a number of more than 64 bits')
}

/** @throws E_DHT_MESSAGE */
export function* readFields(bytes: Uint8Array): Generator<Field> {
  const number = (from: number) => {
    const found = varintAt(bytes, from)
    if (found === undefined) throw routingPluginErrors.E_DHT_MESSAGE('it ends within a number')
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
      case DELIMITED: {
        const [size, from] = number(start)
        if (size > bytes.length - from) throw routingPluginErrors.E_DHT_MESSAGE('it ends within a field')
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
        throw routingPluginErrors.E_DHT_MESSAGE(`wire type ${tag % 8}`)
    }
  }
}

export function varint(value: number): number[] {
  const out: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128)
  out.push(rest)
  return out
}

/** A message of fields in their order. */
export function writeFields(fields: Iterable<Field>): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [number, value] of fields) {
    if (typeof value === 'number') parts.push(Uint8Array.from([...varint(number * 8 + VARINT), ...varint(value)]))
    else parts.push(Uint8Array.from([...varint(number * 8 + DELIMITED), ...varint(value.length)]), value)
  }
  return Buffer.concat(parts)
}
