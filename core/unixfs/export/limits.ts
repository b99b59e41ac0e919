import type { WalkLimits } from '../../dag/walk/branch.ts'

export interface ReadLimits extends WalkLimits {
  /** Blocks of a file without content that there may be beyond the bytes that came before them: a hostile graph could have 2^60. Default 25,000. */
  hollow?: number
}
