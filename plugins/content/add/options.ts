import { hashByName } from '../../../core/cid/hashes.ts'
import { cidErrors } from '../../../core/errors/cid.ts'
import { commonErrors } from '../../../core/errors/index.ts'
import { contentErrors } from '../errors.ts'

const SHA2_256 = 0x12

export interface AddOptions {
  readonly cidVersion: number | undefined
  readonly hash: string
  readonly rawLeaves: boolean | undefined
  readonly nocopy: boolean | undefined
  readonly onlyHash: boolean | undefined
  readonly toFiles: string | undefined
}

export interface Naming {
  readonly cidVersion: 0 | 1
  readonly hash: number
  readonly rawLeaves: boolean
}

/** What a node without references to files says of `nocopy`. */
export interface References {
  /** `Experimental.FilestoreEnabled` or `Experimental.UrlstoreEnabled`. */
  readonly enabled: boolean
}

/**
 * How the blocks of an add are named, once its options agree with each other. The checks stand in the reference's order
 * (Kubo 0.28, core/commands/add and core/coreiface/options/unixfs).
 *
 * @throws E_HASH_UNRECOGNIZED, E_CID_VERSION, E_CID_VERSION_HASH, E_NOCOPY_…, E_ONLY_HASH_TO_FILES, E_SERVICE_ABSENT
 */
export function checkAddOptions(options: AddOptions, references: References): Naming {
  const name = options.hash.toLowerCase()
  const hash = hashByName(name)
  if (hash === undefined) throw cidErrors.E_HASH_UNRECOGNIZED(name)
  if (options.onlyHash && options.toFiles !== undefined) throw contentErrors.E_ONLY_HASH_TO_FILES()
  const asked = options.cidVersion !== undefined && options.cidVersion >= 0 ? options.cidVersion : undefined
  if (asked === 0 && hash !== SHA2_256) throw contentErrors.E_CID_VERSION_HASH()
  const cidVersion = asked ?? (hash === SHA2_256 ? 0 : 1)
  if (cidVersion > 1) throw contentErrors.E_CID_VERSION(cidVersion)
  if (options.nocopy) {
    if (options.rawLeaves === false) throw contentErrors.E_NOCOPY_RAW_LEAVES()
    if (!references.enabled) throw contentErrors.E_NOCOPY_OFF()
    throw commonErrors.E_SERVICE_ABSENT('add', 'nocopy', 'filestore')
  }
  return { cidVersion: cidVersion as 0 | 1, hash, rawLeaves: options.rawLeaves ?? cidVersion === 1 }
}
