import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

const positive = z.int().min(1)

export const contentSettingsSchema = z.strictObject({
  /** How files, folders and links are read. */
  read: z
    .strictObject({
      /** Blocks asked for ahead of the one that is looked at. */
      ahead: positive.default(32),
      /** Most bytes of blocks that were loaded ahead. */
      aheadBytes: positive.default(8 * 1024 * 1024),
      /** Most bytes of nodes that are kept because they still have links to follow: how deep a graph may be nested. */
      held: positive.default(128 * 1024 * 1024),
      /** Most blocks of a file in a row that have no content. */
      hollow: positive.default(100_000)
    })
    .prefault({})
})

export type ContentSettings = z.output<typeof contentSettingsSchema>

export const contentSettings: Token<ContentSettings> = settings<typeof contentSettingsSchema>()
