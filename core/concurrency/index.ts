/**
 * Work that waits: for its turn, for others at the same key, for a while, for a caller who may leave.
 *
 * @packageDocumentation
 */
export { unlessAborted } from '../abort.ts'
export { andThen } from '../and-then.ts'
export { KeyedLock } from '../keyed-lock.ts'
export { bounded, sleep, within } from '../timing.ts'
export { StreamTurns, Turns, turnBefore } from '../turns.ts'
