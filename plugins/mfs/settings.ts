import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const positive = z.int().min(1)

export const mfsSettings = z.strictObject({
  maxGap: positive
    .default(1024 * 1024 * 1024)
    .describe('Most bytes of zeros that a write puts between the end of a file and the place where it begins.'),
  maxListing: positive.default(64 * 1024 * 1024).describe('Most bytes that `files/ls` collects before it answers.'),
  maxDepth: positive.default(4096).describe('Most parts of a path.'),
  maxStatBlocks: positive.default(10_000_000).describe('Most different blocks that `files/stat` with `with-local` looks for.'),
  search: setting
    .duration('30s', { min: '1ms', max: '24h' })
    .describe(
      'How long peers are asked for a block of the tree that is not stored here; contents of files are asked for until the caller gives up.'
    ),
  held: z
    .int()
    .min(1024)
    .default(131_072)
    .describe('Entries of directories that are kept in memory; beyond it what is unchanged is let go of, and read again when needed.'),
  journal: positive
    .default(4096)
    .describe('Changes that are kept one by one before the directories they touch are written. A start reads them.')
})

export type MfsSettings = z.output<typeof mfsSettings>

export const MfsSettings: Token<MfsSettings> = settings<typeof mfsSettings>()
