/**
 * Work that waits: for its turn, for others at the same key, for a caller who may leave.
 *
 * @packageDocumentation
 */
export { unlessAborted } from '../abort.ts'
export { andThen } from '../and-then.ts'
export { KeyedLock } from '../keyed-lock.ts'
export { Turns } from '../turns.ts'
