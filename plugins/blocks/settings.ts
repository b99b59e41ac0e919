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
    .enum(['once', 'asked', 'all', 'none'])
    .optional()
    .describe(
      'Which blocks are hashed again when they are read: those that a caller asked for by their CID, and each other one at its first read since the start (`once`); the former alone (`asked`); all; or none. What lies in memory is hashed at least once since it came there. By default `once`, and `all` where the node configuration says `Datastore.HashOnRead`.'
    )
})

export type BlockSettings = z.output<typeof blockSettings>
export const BlockSettings: Token<BlockSettings> = settings<typeof blockSettings>()
