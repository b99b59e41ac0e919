import type { SecretUses } from '../../core/callers/index.ts'
import { type Token, token } from '../../core/index.ts'

/** When each token was last used. */
export const Uses: Token<SecretUses> = token<SecretUses>('token-uses')
