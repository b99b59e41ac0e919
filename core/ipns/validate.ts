import type { IPNSRecordV2 } from 'ipns'
import { messageOf } from '../errors.ts'
import { decodeUtf8 } from '../go/utf8.ts'
import { decodeKey } from '../keys/encoding.ts'
import { inlinePublicKey, peerIdBytes } from '../keys/peer-id.ts'
import { verify } from '../keys/signature.ts'
import { ipnsErrors } from './errors.ts'
import { routingKey } from './name.ts'
import { END_OF_LIFE, type IpnsRecord } from './record.ts'
import { nowInNanoseconds, parseTime } from './time.ts'

const V2_PREFIX = Buffer.from('ipns-signature:')

/**
 * Checks that a record is one of this name, and good now, in the order of the reference (boxo 0.19, ipns/validation.go).
 *
 * @param multihash - of the name
 * @param now - nanoseconds since 1970
 * @throws E_RECORD_…
 */
export async function validateRecord(record: IpnsRecord, multihash: Uint8Array, now: bigint = nowInNanoseconds()): Promise<void> {
  await checkSigned(record, multihash)
  const { signatureV1, value } = record.fields
  if (signatureV1 !== undefined || value !== undefined) checkRepeated(record)
  if (endOf(record) < now) throw ipnsErrors.E_RECORD_EXPIRED()
}

/**
 * The package `ipns` checks what is signed: key, signature, type of validity and path. It is given no more than that, as it would compare
 * the fields beside the data before it looks at the signature. It does not read ECDSA keys as libp2p for Go writes them; those are checked here.
 */
async function checkSigned(record: IpnsRecord, multihash: Uint8Array): Promise<void> {
  const publicKey = keyOf(record, multihash)
  const { signatureV2, data } = record.fields
  if (signatureV2 === undefined) throw ipnsErrors.E_RECORD_SIGNATURE()
  if (isEcdsa(publicKey)) return checkHere(record, publicKey)
  const [{ marshalIPNSRecord }, { ipnsValidator }] = await Promise.all([import('ipns'), import('ipns/validator')])
  const signed = { pubKey: record.fields.publicKey, signatureV2, data } as IPNSRecordV2
  try {
    await ipnsValidator(routingKey(multihash), marshalIPNSRecord(signed))
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    // of this moment; which one counts, and to the nanosecond, is decided by the caller's
    if (name === 'RecordExpiredError') return
    checkHere(record, publicKey)
    throw ipnsErrors.E_RECORD_MALFORMED(name === 'InvalidValueError' ? 'its value is no content path' : messageOf(error))
  }
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

/** The order and the texts of the reference, which looks at the signature before it looks into the data. */
function checkHere(record: IpnsRecord, publicKey: Uint8Array): void {
  const { signatureV2, data } = record.fields
  const isSigned = attempt(() => verify(publicKey, Buffer.concat([V2_PREFIX, data!]), signatureV2!))
  if (isSigned !== true) throw ipnsErrors.E_RECORD_SIGNATURE()
  if (record.validityType !== BigInt(END_OF_LIFE)) throw ipnsErrors.E_RECORD_VALIDITY_TYPE()
}

const isEcdsa = (publicKey: Uint8Array) => attempt(() => decodeKey(publicKey, 'PublicKey').type) === 'ecdsa'

/** A key that cannot be used, and a signature that cannot be read, sign nothing. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
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
