import type { WalkLimits } from '../../dag/walk/branch.ts'

export interface ReadLimits extends WalkLimits {
  /** Blocks of a file without content, or shards without entries, that may follow each other: a hostile graph could have 2^60. Default 100,000. */
  hollow?: number
}
