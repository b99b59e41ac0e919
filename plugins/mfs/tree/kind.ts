import { DEFAULT_LEVEL, type RpcLevel } from '../../../core/index.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import type { LoadedBlock } from '../../../core/unixfs/export/node.ts'
import { typeNames, UnixFsType } from '../../../core/unixfs/types.ts'
import { mfsErrors } from '../errors.ts'

/** The kind of a node in the tree. */
export interface Kind {
  readonly type: 'file' | 'directory' | 'symlink'
  /** Bytes of a file or of a symlink's target; 0 for a directory. */
  readonly size: bigint
}

/**
 * The kind of a node in the tree, as its first block says. (boxo 0.19, mfs/dir.go)
 *
 * @throws E_MFS_CODEC, E_MFS_METADATA, E_MFS_CHILD, E_PROTOBUF
 */
export function kindOf({ kind, bytes, node }: LoadedBlock): Kind {
  if (kind === 'raw') return { type: 'file', size: BigInt(bytes.length) }
  if (kind !== 'dag-pb') throw mfsErrors.E_MFS_CODEC()
  const { type, data, size } = decodeUnixFs(node.data)
  switch (type) {
    case UnixFsType.Directory:
    case UnixFsType.HAMTShard:
      return { type: 'directory', size: 0n }
    case UnixFsType.File:
    case UnixFsType.Raw:
      return { type: 'file', size: BigInt(size) }
    case UnixFsType.Symlink:
      return { type: 'symlink', size: BigInt(data?.length ?? 0) }
    case UnixFsType.Metadata:
      throw mfsErrors.E_MFS_METADATA()
    default:
      throw mfsErrors.E_MFS_CHILD()
  }
}

/** The type of a node as `files/stat` tells it; that of a symlink since Kubo 0.42. @throws E_MFS_STAT_TYPE, E_MFS_STAT_CODEC, E_PROTOBUF */
export function statType({ kind, node }: LoadedBlock, level: RpcLevel = DEFAULT_LEVEL): 'file' | 'directory' {
  if (kind === 'raw') return 'file'
  if (kind !== 'dag-pb') throw mfsErrors.E_MFS_STAT_CODEC()
  const { type } = decodeUnixFs(node.data)
  if (type === UnixFsType.Directory || type === UnixFsType.HAMTShard) return 'directory'
  if (type === UnixFsType.Symlink && level !== '0.28') return 'file'
  if (type === UnixFsType.File || type === UnixFsType.Raw || type === UnixFsType.Metadata) return 'file'
  throw mfsErrors.E_MFS_STAT_TYPE(typeNames[type] ?? String(type))
}
