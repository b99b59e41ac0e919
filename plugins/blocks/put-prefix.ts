import { codecByName } from '../../core/cid/codecs.ts'
import { DAG_CBOR, DAG_PB, RAW, SHA2_256 } from '../../core/cid/codes.ts'
import { hashByName } from '../../core/cid/hashes.ts'
import type { CidPrefix } from '../../core/cid/sum.ts'
import { blockCommandErrors } from './errors.ts'

/** The prefix of the CIDs that block/put makes, by its options. */
export interface PutOptions {
  readonly cidCodec: string
  readonly format: string | undefined
  readonly mhtype: string
  readonly mhlen: number
}

/**
 * The code of the hash function, and that the options do not contradict each other: what is wrong whatever is put.
 *
 * @throws E_MULTIHASH_NAME, E_FORMAT_AND_CODEC
 */
export function checkPutOptions({ cidCodec, format, mhtype }: PutOptions): number {
  const hash = hashByName(mhtype)
  if (hash === undefined) throw blockCommandErrors.E_MULTIHASH_NAME(mhtype)
  if (format !== undefined && cidCodec !== '' && cidCodec !== 'raw') throw blockCommandErrors.E_FORMAT_AND_CODEC()
  return hash
}

/**
 * All of a new CID but its digest. An empty codec means raw. (Kubo 0.28, core/coreiface/options/block.go)
 *
 * @throws E_CODEC_UNKNOWN, E_CID_V0_HASH
 */
export function prefixOf({ cidCodec, format = '', mhlen }: PutOptions, hash: number): CidPrefix {
  const codec = cidCodec === '' ? RAW : codecByName(cidCodec)
  switch (format) {
    case '':
      return { version: 1, codec, hash, length: mhlen }
    case 'v0':
      if (hash !== SHA2_256 || (mhlen !== -1 && mhlen !== 32)) throw blockCommandErrors.E_CID_V0_HASH()
      return { version: 0, codec: DAG_PB, hash, length: mhlen }
    case 'protobuf':
      return { version: 1, codec: DAG_PB, hash, length: mhlen }
    case 'cbor':
      return { version: 1, codec: DAG_CBOR, hash, length: mhlen }
    default:
      return { version: 1, codec: codecByName(format), hash, length: mhlen }
  }
}
