import type { HeldInputs } from '../../core/body/index.ts'
import { type Token, token } from '../../core/index.ts'

/** Messages that calls hold whole while they are sent. */
export type PublishInputs = HeldInputs
export const PublishInputs: Token<PublishInputs> = token<PublishInputs>('pubsub-inputs')
