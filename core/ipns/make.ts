import type { PrivateKey } from '@libp2p/interface'
import { inlinePublicKey, parsePeerId } from '../keys/peer-id.ts'
import type { Identity } from '../services/storage/repo.ts'
import { ipnsErrors } from './errors.ts'
import { MAX_RECORD_SIZE } from './record.ts'
import { formatTime } from './time.ts'
import { writeRecord } from './write.ts'

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

/** The signer: the key pair of the name, its private half kept to itself. */
export interface Signer extends Pick<Identity, 'peerId' | 'publicKey'> {
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

/**
 * Makes a record with the package `ipns` (IPNS specification). The public key goes along where the name does not have it in itself; the package
 * would leave it out for ECDSA.
 *
 * @throws E_RECORD_SIZE for a path that is too long, E_RECORD_PATH for one that the package would change, and what signing throws
 */
export async function makeRecord({ path, sequence, end, ttl, v1Compatible }: RecordContent, signer: Signer): Promise<Uint8Array> {
  if (!path.startsWith('/') || path.trim() !== path || !path.isWellFormed()) throw ipnsErrors.E_RECORD_PATH(path)
  const { createIPNSRecordWithExpiration } = await import('ipns')
  const options = { ttlNs: ttl, v1Compatible }
  // the numbers of DAG-CBOR have a sign: those of the upper half are written as the negative ones of the same bits, as in the reference
  const number = BigInt.asIntN(64, sequence)
  const record = await createIPNSRecordWithExpiration(keyOf(signer), path, number, formatTime(end), options)
  if (inlinePublicKey(parsePeerId(signer.peerId)) === undefined) record.pubKey = signer.publicKey
  const bytes = writeRecord(record)
  if (bytes.length > MAX_RECORD_SIZE) throw ipnsErrors.E_RECORD_SIZE()
  return bytes
}

/** The part of a private key that the package needs: its kind, for the public half that is not added by it, and that it signs. */
function keyOf({ sign }: Signer): PrivateKey {
  const key: Pick<PrivateKey, 'type' | 'sign'> = { type: 'Ed25519', sign: bytes => sign(bytes.subarray()) }
  return key as PrivateKey
}
