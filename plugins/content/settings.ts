import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

const positive = z.int().min(1)

export const contentSettings = z.strictObject({
  read: z
    .strictObject({
      ahead: positive.default(32).describe('Blocks asked for ahead of the one that is looked at.'),
      aheadBytes: positive.default(8 * 1024 * 1024).describe('Most bytes of blocks that were loaded ahead.'),
      held: positive
        .default(128 * 1024 * 1024)
        .describe('Most bytes of nodes that are kept because they still have links to follow: how deep a graph may be nested.'),
      hollow: positive
        .default(25_000)
        .describe('Most blocks of a file without content that there may be beyond the bytes that came before them.')
    })
    .prefault({})
    .describe('How files, folders and links are read.'),
  maxListing: positive
    .default(64 * 1024 * 1024)
    .describe('Most bytes that `ls` collects before it answers; as a stream a listing may be of any length.'),
  maxFolders: positive.default(500_000).describe('Most folders of an upload in the one at its top: they are kept in mind until it ends.'),
  maxReference: positive.default(4 * 1024 * 1024).describe('Most characters of one reference that `refs` writes in a format.')
})

export type ContentSettings = z.output<typeof contentSettings>

export const ContentSettings: Token<ContentSettings> = settings<typeof contentSettings>()
