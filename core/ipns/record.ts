import { VarintReader } from '../cid/varint.ts'
import { dagCbor } from '../dag/codecs/cbor/cbor.ts'
import { kindOf, type Node, plain } from '../dag/model.ts'
import { messageOf } from '../errors.ts'
import { decodeUtf8 } from '../go/utf8.ts'
import { parseAbsolutePath } from '../path/parse.ts'
import { ipnsErrors } from './errors.ts'
import { parseTime } from './time.ts'

/** The largest record, in bytes (IPNS specification; boxo 0.19, ipns). */
export const MAX_RECORD_SIZE = 10_240

/** The only validity type there is: the record is good until a time. */
export const END_OF_LIFE = 0

/** The fields of the protobuf message by their numbers. */
const FIELDS = {
  value: 1,
  signatureV1: 2,
  validityType: 3,
  validity: 4,
  sequence: 5,
  ttl: 6,
  publicKey: 7,
  signatureV2: 8,
  data: 9
} as const

type FieldName = keyof typeof FIELDS
const names = Object.keys(FIELDS) as FieldName[]

/** The fields that are there, numbers as unsigned ones of 64 bits. */
export interface RecordFields {
  readonly value?: Uint8Array
  readonly signatureV1?: Uint8Array
  readonly validityType?: bigint
  readonly validity?: Uint8Array
  readonly sequence?: bigint
  readonly ttl?: bigint
  readonly publicKey?: Uint8Array
  readonly signatureV2?: Uint8Array
  readonly data?: Uint8Array
}

const NUMBERS: ReadonlySet<FieldName> = new Set(['validityType', 'sequence', 'ttl'])

/** A record that was read, not checked. What it says is in its CBOR data; the other fields repeat it for old readers. */
export class IpnsRecord {
  readonly bytes: Uint8Array
  readonly fields: RecordFields
  readonly #said: ReadonlyMap<string, Node>

  constructor(bytes: Uint8Array, fields: RecordFields, said: ReadonlyMap<string, Node>) {
    this.bytes = bytes
    this.fields = fields
    this.#said = said
  }

  /** The path that it leads to; undefined where it is none. */
  get path(): string | undefined {
    const value = this.bytesOf('Value')
    try {
      return value && parseAbsolutePath(decodeUtf8(value)).text
    } catch {
      return undefined
    }
  }

  get validityType(): bigint | undefined {
    return this.numberOf('ValidityType')
  }

  /** When it ends, in nanoseconds since 1970; undefined where it does not say so. */
  get end(): bigint | undefined {
    if (this.validityType !== BigInt(END_OF_LIFE)) return undefined
    const validity = this.bytesOf('Validity')
    try {
      return validity && parseTime(decodeUtf8(validity))
    } catch {
      return undefined
    }
  }

  get sequence(): bigint | undefined {
    const sequence = this.numberOf('Sequence')
    return sequence === undefined ? undefined : BigInt.asUintN(64, sequence)
  }

  /** How long readers may take it for the newest, in nanoseconds. */
  get ttl(): bigint | undefined {
    return this.numberOf('TTL')
  }

  bytesOf(name: string): Uint8Array | undefined {
    const node = this.#said.get(name)
    return node !== undefined && kindOf(node) === 'bytes' ? (plain(node) as Uint8Array) : undefined
  }

  /** A number of the data, where it is one of 64 bits with a sign. */
  numberOf(name: string): bigint | undefined {
    const node = this.#said.get(name)
    if (node === undefined || kindOf(node) !== 'int') return undefined
    const value = BigInt(plain(node) as bigint)
    return BigInt.asIntN(64, value) === value ? value : undefined
  }
}

/**
 * Reads a record: protobuf, with DAG-CBOR inside.
 *
 * @throws E_RECORD_SIZE, E_RECORD_MALFORMED
 */
export function readRecord(bytes: Uint8Array): IpnsRecord {
  if (bytes.length > MAX_RECORD_SIZE) throw ipnsErrors.E_RECORD_SIZE()
  const fields = readFields(bytes)
  if (fields.data === undefined) throw ipnsErrors.E_RECORD_MALFORMED('record is missing the dag-cbor data field')
  let said: unknown
  try {
    said = plain(dagCbor.decode(fields.data) as Node)
  } catch (error) {
    throw ipnsErrors.E_RECORD_MALFORMED(messageOf(error))
  }
  if (!(said instanceof Map)) throw ipnsErrors.E_RECORD_MALFORMED('the dag-cbor data field is no map')
  return new IpnsRecord(bytes, fields, said)
}

/** Fields with a wire type of another kind, and fields of other numbers, are passed over; of a repeated one the last counts. */
function readFields(bytes: Uint8Array): RecordFields {
  const fields: Record<string, Uint8Array | bigint> = {}
  const reader = new VarintReader(bytes)
  while (reader.at < bytes.length) {
    const tag = numberAt(reader)
    const name = names[Number(tag >> 3n) - 1]
    switch (tag & 7n) {
      case 0n: {
        const value = numberAt(reader)
        if (name !== undefined && NUMBERS.has(name)) fields[name] = value
        break
      }
      case 2n: {
        const size = Number(numberAt(reader))
        const start = reader.at
        reader.at += size
        if (name !== undefined && !NUMBERS.has(name)) fields[name] = bytes.subarray(start, reader.at)
        break
      }
      case 1n:
        reader.at += 8
        break
      case 5n:
        reader.at += 4
        break
      default:
        throw malformed()
    }
    if (tag < 8n || reader.at > bytes.length) throw malformed()
  }
  return fields
}

function numberAt(reader: VarintReader): bigint {
  const value = reader.exact(reader.bytes.length)
  if (value < 0) throw malformed()
  return BigInt(value)
}

const malformed = () => ipnsErrors.E_RECORD_MALFORMED('proto: cannot parse invalid wire-format data')
