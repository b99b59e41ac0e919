import { dagCbor } from '../dag/cbor.ts'
import type { Node } from '../dag/model.ts'
import { bytesLength, numberLength, writeBytes, writeNumber } from '../dag/pb-write.ts'
import { ipnsErrors } from '../errors/ipns.ts'
import { encodeUtf8 } from '../go/utf8.ts'
import { inlinePublicKey, parsePeerId } from '../keys/peer-id.ts'
import type { Identity } from '../services/repo.ts'
import { END_OF_LIFE, FIELDS, MAX_RECORD_SIZE, type RecordFields } from './record.ts'
import { formatTime } from './time.ts'

const V1_SUFFIX = Buffer.from('EOL')
export const V2_PREFIX = Buffer.from('ipns-signature:')

/** What a record says. */
export interface RecordContent {
  /** A content path. */
  readonly path: string
  readonly sequence: bigint
  /** When it ends, in nanoseconds since 1970. */
  readonly end: bigint
  /** Nanoseconds; at least 0. */
  readonly ttl: bigint
  /** Whether readers of the older form can check it too. */
  readonly v1Compatible: boolean
}

/** Who signs: the key pair of the name, its private half kept to itself. */
export interface Signer extends Pick<Identity, 'peerId' | 'publicKey'> {
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

/**
 * Makes a record (IPNS specification; boxo 0.19, ipns/record.go). The public key goes along where the name does not have it in itself.
 *
 * @throws E_RECORD_SIZE for a path that is too long, and what signing throws
 */
export async function makeRecord({ path, sequence, end, ttl, v1Compatible }: RecordContent, signer: Signer): Promise<Uint8Array> {
  const value = encodeUtf8(path)
  const validity = Buffer.from(formatTime(end))
  const said = new Map<string, Node>([
    ['TTL', ttl],
    ['Value', value],
    ['Sequence', sequence],
    ['Validity', validity],
    ['ValidityType', BigInt(END_OF_LIFE)]
  ])
  const data = dagCbor.encode!(said)
  const signatureV2 = await signer.sign(Buffer.concat([V2_PREFIX, data]))
  const isInline = inlinePublicKey(parsePeerId(signer.peerId)) !== undefined
  const v2 = { ...(!isInline && { publicKey: signer.publicKey }), signatureV2, data }
  const fields: RecordFields = v1Compatible
    ? {
        value,
        signatureV1: await signer.sign(Buffer.concat([value, validity, V1_SUFFIX])),
        validityType: BigInt(END_OF_LIFE),
        validity,
        sequence,
        ttl,
        ...v2
      }
    : v2
  const bytes = writeFields(fields)
  if (bytes.length > MAX_RECORD_SIZE) throw ipnsErrors.E_RECORD_SIZE()
  return bytes
}

function writeFields(fields: RecordFields): Uint8Array {
  const present = Object.entries(FIELDS).flatMap(([name, number]) => {
    const value = fields[name as keyof RecordFields]
    return value === undefined ? [] : [{ number, value }]
  })
  const lengths = present.map(({ value }) => (typeof value === 'bigint' ? numberLength(value) : bytesLength(value)))
  const out = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const { number, value } of present) {
    at = typeof value === 'bigint' ? writeNumber(out, at, number * 8, value) : writeBytes(out, at, number * 8 + 2, value)
  }
  return out
}
