import type { ProtoNode } from '../../core/dag/proto-node.ts'
import { decodeUnixFs } from '../../core/unixfs/export/data.ts'
import { typeNames } from '../../core/unixfs/types.ts'
import { objectErrors } from './errors.ts'

/** The change to the links of an object, in the words of its refusals. */
export interface LinkChange {
  /** The change to a file, a symlink or an object without UnixFS data. */
  readonly named: string
  /** The change to a shard. */
  readonly shard: string
  readonly what: string
  /** Commands that do the same to a shard. */
  readonly instead: string
}

export const ADDITION: LinkChange = {
  named: 'add named links to',
  shard: 'add links to',
  what: 'addition',
  instead: "'ipfs files' commands"
}
export const REMOVAL: LinkChange = {
  named: 'remove links from',
  shard: 'remove links from',
  what: 'removal',
  instead: "'ipfs files rm'"
}

/**
 * Refuses an object whose links mean something else than the entries of a folder (Kubo 0.42).
 *
 * @throws E_OBJECT_BASE_TYPE, E_OBJECT_BASE_SHARD, E_OBJECT_BASE_FOREIGN
 */
export function checkBase({ data }: Pick<ProtoNode, 'data'>, { named, shard, what, instead }: LinkChange): void {
  const type = typeOf(data)
  if (type === undefined) throw objectErrors.E_OBJECT_BASE_FOREIGN(named)
  if (type === 'HAMTShard') throw objectErrors.E_OBJECT_BASE_SHARD(shard, instead)
  if (type !== 'Directory') throw objectErrors.E_OBJECT_BASE_TYPE(named, type, what)
}

/** The name of the UnixFS type; undefined where the data is none of UnixFS. */
function typeOf(data: Uint8Array | undefined): string | undefined {
  try {
    return typeNames[decodeUnixFs(data).type]
  } catch {
    return undefined
  }
}
