import type { HeldInputs } from '../../core/body/held.ts'
import { type Token, token } from '../../core/index.ts'

/** Blocks that calls of `block/put` hold until they are stored. */
export const BlockInputs: Token<HeldInputs> = token<HeldInputs>('blocks-inputs')
