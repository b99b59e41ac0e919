import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

export const tokenSettings = z.strictObject({
  maxTokens: z
    .int()
    .min(1)
    .default(1000)
    .describe('Most tokens and secrets of `API.Authorizations`, which all stand in the node configuration.')
})

export type TokenSettings = z.output<typeof tokenSettings>

export const TokenSettings: Token<TokenSettings> = settings<typeof tokenSettings>()
