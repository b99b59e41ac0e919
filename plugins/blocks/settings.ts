import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

export const blockSettings = z.strictObject({
  maxBlockSize: z
    .int()
    .min(1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('Most bytes that `block/put` takes as one block. It warns above 1 MiB, which is what peers exchange.'),
  maxInputs: z
    .int()
    .min(1024 * 1024)
    .default(1024 * 1024 * 1024)
    .describe('Most bytes that all calls of `block/put` together hold of blocks that are not stored yet.'),
  readAhead: z
    .int()
    .min(1)
    .default(32 * 1024 * 1024)
    .describe('Most bytes of blocks that all calls together have loaded ahead, or have handed to callers that do not read on.'),
  verifyOnRead: z
    .enum(['asked', 'all', 'none'])
    .optional()
    .describe(
      'Which blocks are hashed again when they are read: those that a caller asked for by their CID, all, or none; what lies in memory, at least once since it came there. By default `asked`, and `all` where the node configuration says `Datastore.HashOnRead`.'
    )
})

export type BlockSettings = z.output<typeof blockSettings>
export const BlockSettings: Token<BlockSettings> = settings<typeof blockSettings>()
