import { SHA2_256 } from '../../core/cid/codes.ts'
import { cidErrors } from '../../core/cid/errors.ts'
import { hashByName } from '../../core/cid/hashes.ts'
import { contentErrors } from './errors.ts'

interface AddOptions {
  readonly cidVersion: number | undefined
  readonly hash: string | undefined
  readonly rawLeaves: boolean | undefined
  readonly nocopy: boolean | undefined
  readonly onlyHash: boolean | undefined
  readonly toFiles: string | undefined
}

interface Naming {
  readonly cidVersion: 0 | 1
  readonly hash: number
  readonly rawLeaves: boolean
}

/**
 * How the blocks of an add are named, once its options agree with each other. The checks stand in the reference's order
 * (Kubo 0.28, core/commands/add and core/coreiface/options/unixfs).
 *
 * @param references - whether the node's configuration allows blocks that refer to files or URLs
 * @param hasMetadata - whether nodes say what files they were, which raw blocks cannot
 * @throws E_HASH_UNRECOGNIZED, E_CID_VERSION, E_CID_VERSION_HASH, E_NOCOPY_…, E_ONLY_HASH_TO_FILES
 */
export function namingOf(options: AddOptions, references: boolean, hasMetadata: boolean): Naming {
  const name = (options.hash ?? 'sha2-256').toLowerCase()
  const hash = hashByName(name)
  if (hash === undefined) throw cidErrors.E_HASH_UNRECOGNIZED(name)
  if (options.onlyHash && options.toFiles !== undefined) throw contentErrors.E_ONLY_HASH_TO_FILES()
  if (options.nocopy && options.rawLeaves === false) throw contentErrors.E_NOCOPY_RAW_LEAVES()
  const cidVersion = cidVersionOf(options.cidVersion ?? -1, hash)
  if (options.nocopy && !references) throw contentErrors.E_NOCOPY_OFF()
  return { cidVersion, hash, rawLeaves: !hasMetadata && (options.rawLeaves ?? (cidVersion === 1 || options.nocopy === true)) }
}

function cidVersionOf(asked: number, hash: number): 0 | 1 {
  if (hash !== SHA2_256) {
    if (asked === 0) throw contentErrors.E_CID_VERSION_HASH()
    if (asked === 1 || asked === -1) return 1
  } else if (asked <= 1) return asked === 1 ? 1 : 0
  throw contentErrors.E_CID_VERSION(asked)
}
