/**
 * Uploads: their bytes in one piece, within a limit for all that are held at a time.
 *
 * @packageDocumentation
 */
export { gather } from './gather.ts'
export { type HeldInput, HeldInputs } from './held.ts'
