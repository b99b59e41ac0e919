import type { HeldInputs } from '../../core/body/held.ts'
import { type Token, token } from '../../core/index.ts'

/** Inputs that calls of `dag/put` hold until their node is stored. */
export const DagInputs: Token<HeldInputs> = token<HeldInputs>('dag-inputs')
