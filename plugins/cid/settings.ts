import { z } from 'zod'
import { settings } from '../../core/index.ts'

export const cidSettingsSchema = z.strictObject({
  maxInput: z
    .int()
    .positive()
    .default(64 * 1024 * 1024)
    .describe('The longest multibase text that is decoded, in bytes: decoding needs all of it in memory.')
})

export const cidSettings = settings<typeof cidSettingsSchema>()
