import type { RpcLevel } from '../contract/level.ts'
import { parseBytes } from '../go/bytes.ts'
import type { Json } from '../services/storage/repo.ts'
import { importErrors } from './import/errors.ts'

/** Keys of the node configuration that say when a directory is sharded. */
export const shardingKeys = [
  'Internal.UnixFSShardingSizeThreshold',
  'Import.UnixFSHAMTDirectorySizeThreshold',
  'Import.UnixFSHAMTDirectorySizeEstimation'
] as const

/** How the size of a directory is reckoned: by its names and CIDs, or as the block that it would be. */
export type SizeEstimation = 'links' | 'block'

/** When a directory is sharded. */
export interface Sharding {
  /** The size from which on it is sharded, in bytes; infinite where its size is no reason. */
  readonly threshold: number
  readonly estimation: SizeEstimation
}

/**
 * When directories are sharded, by the node configuration. Since Kubo 0.42 one of exactly the size is not yet, nor is it where the block is measured.
 *
 * @throws E_SHARDING_ESTIMATION, E_NUMBER_SYNTAX, E_SIZE_UNIT, E_SIZE_TOO_LARGE
 */
export function shardingOf(get: (key: string) => Json | undefined, level: RpcLevel): Sharding {
  const estimation = get('Import.UnixFSHAMTDirectorySizeEstimation') ?? 'links'
  if (estimation === 'disabled') return { threshold: Number.POSITIVE_INFINITY, estimation: 'links' }
  if (estimation !== 'links' && estimation !== 'block') throw importErrors.E_SHARDING_ESTIMATION(String(estimation))
  const text = get('Import.UnixFSHAMTDirectorySizeThreshold') ?? get('Internal.UnixFSShardingSizeThreshold')
  const size = text ? Number(parseBytes(String(text))) : SHARDING_THRESHOLD
  return { threshold: level === '0.28' && estimation === 'links' ? size : size + 1, estimation }
}

/** Size of a directory, by names and CIDs, at which it is sharded: Kubo's `Internal.UnixFSShardingSizeThreshold`. */
export const SHARDING_THRESHOLD = 262_144
