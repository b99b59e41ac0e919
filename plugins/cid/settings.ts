import { z } from 'zod'
import { settings } from '../../core/index.ts'

export const cidSettings = z.strictObject({
  maxInput: z
    .int()
    .positive()
    .default(64 * 1024 * 1024)
    .describe('The longest multibase text that is decoded, in bytes: decoding needs all of it in memory.'),
  maxFormatted: z
    .int()
    .positive()
    .default(1024 * 1024)
    .describe('Most characters that one CID becomes in a format: each `%` of one may stand for all of a long CID.')
})

export const CidSettings = settings<typeof cidSettings>()
