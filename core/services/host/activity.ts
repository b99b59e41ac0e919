import type { Caller } from '../../contract/caller.ts'
import { type Token, token } from '../../token.ts'

/** One call, running or finished. */
export interface ActiveCall {
  /** Counts up from 0 over the life of the host. */
  readonly id: number
  /** The command's path, e.g. `pin/add`. */
  readonly command: string
  /** Arguments as the caller wrote them. Of a finished call very long ones are shortened. */
  readonly args: readonly string[]
  /** Options by name on the wire, sorted; the caller's and those that have a default. */
  readonly options: Readonly<Record<string, unknown>>
  readonly caller: Caller
  readonly start: Date
  /** The end; undefined while it runs. */
  readonly end: Date | undefined
}

/** The calls of this host: all that run, and finished ones for a while. */
export interface Activity {
  /** The calls in the order of their start. */
  list(): readonly ActiveCall[]
  /** Forgets the finished ones. */
  clear(): void
  /** How long a finished call is kept at least, in milliseconds; 0 at first. However long, only so many are kept (`calls.finished`). */
  keepFor(milliseconds: number): void
}
export const Activity: Token<Activity> = token<Activity>('activity')
