import type { Answer } from '../answers.ts'
import type { Format } from '../request/format.ts'

/** Answers that a client can check against the CID that it asked for, and archives. */
export const trustless: Readonly<Partial<Record<Format, Answer>>> = {}
