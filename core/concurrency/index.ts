/**
 * Work that waits: for its turn, for room, for others at the same key, for a while, for a caller who may leave.
 *
 * @packageDocumentation
 */
export { unlessAborted } from '../abort.ts'
export { andThen } from '../and-then.ts'
export { Budget } from '../budget.ts'
export { KeyedLock } from '../keyed-lock.ts'
export { bounded, MAX_DELAY, sleep, within } from '../timing.ts'
export { StreamTurns, Turns, turnBefore } from '../turns.ts'
