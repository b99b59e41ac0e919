import { type CID } from '../../../core/index.ts'

/** Where a path leads. */
export interface Place {
  readonly cid: CID
  /** The root, and one block for each segment behind it. */
  readonly roots: readonly CID[]
  /** The rest of the path inside the last block. */
  readonly remainder: string
}
