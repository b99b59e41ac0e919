import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

export const objectSettings = z.strictObject({
  maxCompared: z
    .int()
    .min(1)
    .default(1_000_000)
    .describe('Most pairs of objects, and most links in them, that one `object/diff` compares.'),
  maxDepth: z.int().min(1).default(1024).describe('Most names in the path of one `object/patch`: the node of each is held while it works.')
})

export type ObjectSettings = z.output<typeof objectSettings>

export const ObjectSettings: Token<ObjectSettings> = settings<typeof objectSettings>()
