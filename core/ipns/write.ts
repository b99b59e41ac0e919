import type { IPNSRecord } from 'ipns'
import { bytesLength, numberLength, writeBytes, writeNumber } from '../dag/pb-write.ts'
import { encodeUtf8 } from '../go/utf8.ts'
import { END_OF_LIFE } from './record.ts'

/** The fields by their tags, in their order. */
const VALUE = 0x0a
const SIGNATURE_V1 = 0x12
const VALIDITY_TYPE = 0x18
const VALIDITY = 0x22
const SEQUENCE = 0x28
const TTL = 0x30
const PUBLIC_KEY = 0x3a
const SIGNATURE_V2 = 0x42
const DATA = 0x4a

type Field = readonly [tag: number, value: Uint8Array | bigint | undefined]

/**
 * A record as its protobuf message (IPNS specification). `marshalIPNSRecord` of the package writes numbers from 2^31 to 2^32 as other ones
 * (protons-runtime 6.0): a record that may be kept for 3 seconds could not be read.
 */
export function writeRecord(record: IPNSRecord): Uint8Array {
  const { pubKey, signatureV2, data } = record
  const older: readonly Field[] = 'signatureV1' in record ? olderFields(record) : []
  const fields: readonly Field[] = [...older, [PUBLIC_KEY, pubKey], [SIGNATURE_V2, signatureV2], [DATA, data]]
  const message = new Uint8Array(fields.reduce((sum, [, value]) => sum + lengthOf(value), 0))
  let at = 0
  for (const [tag, value] of fields) {
    if (typeof value === 'bigint') at = writeNumber(message, at, tag, value)
    else if (value !== undefined) at = writeBytes(message, at, tag, value)
  }
  return message
}

/** The fields that readers of the older form look at. Numbers have no sign in the message. */
function olderFields(record: Extract<IPNSRecord, { signatureV1: Uint8Array }>): readonly Field[] {
  const { value, signatureV1, validity, sequence, ttl } = record
  return [
    [VALUE, encodeUtf8(value)],
    [SIGNATURE_V1, signatureV1],
    [VALIDITY_TYPE, BigInt(END_OF_LIFE)],
    [VALIDITY, encodeUtf8(validity)],
    [SEQUENCE, BigInt.asUintN(64, sequence)],
    [TTL, ttl === undefined ? undefined : BigInt.asUintN(64, ttl)]
  ]
}

function lengthOf(value: Field[1]): number {
  return typeof value === 'bigint' ? numberLength(value) : bytesLength(value)
}
