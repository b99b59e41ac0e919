import { ipnsErrors } from '../errors/ipns.ts'
import { messageOf } from '../errors.ts'
import { decodeUtf8 } from '../go/utf8.ts'
import { inlinePublicKey, peerIdBytes } from '../keys/peer-id.ts'
import { verify } from '../keys/signature.ts'
import { V2_PREFIX } from './make.ts'
import { END_OF_LIFE, type IpnsRecord } from './record.ts'
import { nowInNanoseconds, parseTime } from './time.ts'

/**
 * Checks that a record is one of this name, and good now (boxo 0.19, ipns/validation.go).
 *
 * @param multihash - of the name
 * @param now - nanoseconds since 1970
 * @throws E_RECORD_…
 */
export function validateRecord(record: IpnsRecord, multihash: Uint8Array, now: bigint = nowInNanoseconds()): void {
  const publicKey = keyOf(record, multihash)
  const { signatureV1, signatureV2, value, data } = record.fields
  if (signatureV2 === undefined || !isSigned(publicKey, Buffer.concat([V2_PREFIX, data!]), signatureV2))
    throw ipnsErrors.E_RECORD_SIGNATURE()
  if (signatureV1 !== undefined || value !== undefined) checkRepeated(record)
  if (record.validityType !== BigInt(END_OF_LIFE)) throw ipnsErrors.E_RECORD_VALIDITY_TYPE()
  if (endOf(record) < now) throw ipnsErrors.E_RECORD_EXPIRED()
}

/** The public key of a record: its own, if that is the name's, else the one in the name. */
function keyOf({ fields: { publicKey } }: IpnsRecord, multihash: Uint8Array): Uint8Array {
  if (publicKey !== undefined) {
    if (!Buffer.from(peerIdBytes(publicKey)).equals(multihash)) throw ipnsErrors.E_RECORD_KEY_OTHER()
    return publicKey
  }
  const inline = inlinePublicKey(multihash)
  if (inline === undefined) throw ipnsErrors.E_RECORD_KEY_ABSENT()
  return inline
}

/** A key that cannot be used, and a signature that cannot be read, sign nothing. */
function isSigned(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(publicKey, bytes, signature)
  } catch {
    return false
  }
}

/** The fields beside the data have to say the same. */
function checkRepeated(record: IpnsRecord): void {
  const { value, validity, validityType, sequence, ttl } = record.fields
  const fields = [
    ['Value', sameBytes(record.bytesOf('Value'), value)],
    ['Validity', sameBytes(record.bytesOf('Validity'), validity)],
    ['ValidityType', sameNumber(record.numberOf('ValidityType'), validityType)],
    ['Sequence', sameNumber(record.numberOf('Sequence'), sequence)],
    ['TTL', sameNumber(record.numberOf('TTL'), ttl)]
  ] as const
  for (const [name, isSame] of fields) if (!isSame) throw ipnsErrors.E_RECORD_FIELD(name)
}

const NONE = new Uint8Array(0)

function sameBytes(said: Uint8Array | undefined, repeated: Uint8Array = NONE): boolean {
  return said !== undefined && Buffer.compare(said, repeated) === 0
}

function sameNumber(said: bigint | undefined, repeated = 0n): boolean {
  return said !== undefined && BigInt.asUintN(64, said) === repeated
}

function endOf(record: IpnsRecord): bigint {
  try {
    return parseTime(decodeUtf8(record.bytesOf('Validity') ?? NONE))
  } catch (error) {
    throw ipnsErrors.E_RECORD_VALIDITY(messageOf(error))
  }
}

/** Above 0 where `a` counts before `b`: the higher sequence, then the later end, then the larger bytes. */
export function compareRecords(a: IpnsRecord, b: IpnsRecord): number {
  return compare(a.sequence ?? -1n, b.sequence ?? -1n) || compare(a.end ?? 0n, b.end ?? 0n) || Buffer.compare(a.bytes, b.bytes)
}

const compare = (a: bigint, b: bigint) => (a === b ? 0 : a > b ? 1 : -1)
