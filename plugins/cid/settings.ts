import { z } from 'zod'
import { settings } from '../../core/index.ts'

export const cidSettingsSchema = z.strictObject({
  /** The longest multibase text that is decoded, in bytes: decoding needs all of it in memory. */
  maxInput: z
    .int()
    .positive()
    .default(64 * 1024 * 1024)
})

export const cidSettings = settings<typeof cidSettingsSchema>()
