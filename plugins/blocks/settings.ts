import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

export const blockSettings = z.strictObject({
  /** Most bytes that `block/put` takes as one block. It warns above 1 MiB, which is what peers exchange. */
  maxBlockSize: z
    .int()
    .min(1024 * 1024)
    .default(64 * 1024 * 1024),
  /** Whether a block that is read is hashed again. By default what the node configuration says: `Datastore.HashOnRead`. */
  verifyOnRead: z.boolean().optional()
})

export type BlockSettings = z.output<typeof blockSettings>
export const BlockSettings: Token<BlockSettings> = settings<typeof blockSettings>()
