import type { CID } from 'multiformats/cid'
import { DAG_PB, IDENTITY, SHA2_256 } from '../../core/cid/codes.ts'
import { hashByName } from '../../core/cid/hashes.ts'
import { type NodeNaming, p } from '../../core/index.ts'
import { mfsErrors } from './errors.ts'
import type { Nodes } from './tree/nodes.ts'

/** How the nodes of a new tree are named. */
export const V0: NodeNaming = { version: 0, hash: SHA2_256 }

/** Options of the commands that make nodes. */
export const namingOptions = {
  cidVersion: p.int('Version of the CIDs of what is made.').alias('cid-ver'),
  hash: p.hash('Hash function of what is made; makes CIDs of version 1.')
}

/**
 * The naming that those options ask for; undefined: the one that is there. (Kubo 0.28, core/commands/files.go)
 *
 * @throws E_MFS_CID_VERSION, E_MFS_HASH
 */
export function namingOf({ cidVersion, hash }: { cidVersion?: number | undefined; hash?: string | undefined }): NodeNaming | undefined {
  if (cidVersion === undefined && hash === undefined) return undefined
  const version = hash !== undefined && (cidVersion ?? 0) === 0 ? 1 : cidVersion
  if (version !== 0 && version !== 1) throw mfsErrors.E_MFS_CID_VERSION(version ?? 0)
  if (hash === undefined) return { version, hash: SHA2_256 }
  const name = hash.toLowerCase()
  const code = hashByName(name)
  if (code === undefined) throw mfsErrors.E_MFS_HASH(name)
  return { version, hash: code }
}

export function namingOfCid({ version, multihash }: CID): NodeNaming {
  if (version === 0) return V0
  const { code, size } = multihash
  return code === IDENTITY ? { version: 1, hash: code } : { version: 1, hash: code, length: size }
}

/** The node of an empty directory. */
const EMPTY = Uint8Array.of(0x0a, 0x02, 0x08, 0x01)

/**
 * Refuses a naming that no node of the tree can have, before anything is named so: the tree could not be stored any more.
 *
 * @throws E_HASH_INSECURE and its kin, E_CID_INVALID
 */
export function checkName(naming: NodeNaming, nodes: Pick<Nodes, 'name'>): void {
  nodes.name(naming, DAG_PB, EMPTY)
}
