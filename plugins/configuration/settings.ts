import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

export const configurationSettings = z.strictObject({
  maxBytes: z
    .int()
    .min(65_536)
    .default(1024 * 1024)
    .describe('Most bytes of the node configuration: of a file that `config/replace` is sent, and of what a change makes of it.')
})

export type ConfigurationSettings = z.output<typeof configurationSettings>

export const ConfigurationSettings: Token<ConfigurationSettings> = settings<typeof configurationSettings>()
