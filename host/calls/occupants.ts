import type { RunningCall } from './running-call.ts'

/** A call under way, and the plugin whose code it was in for the longest time. */
export interface Occupant {
  readonly command: string
  readonly inside: string
}

/** Shorter calls have held nobody up, in milliseconds. */
const LONG_MS = 200
/** The part of a time that counts as all of it. */
const WHOLE = 0.8
const MOST_ENDED = 32

/** The occupants of the loop: of calls that ended those that took long, until somebody asks. */
export class Occupants {
  #ended: Array<Occupant & { readonly from: number; readonly to: number }> = []

  ended({ command, mostlyInside, began }: RunningCall, now: number): void {
    if (now - began < LONG_MS) return
    if (this.#ended.length >= MOST_ENDED) this.#ended.shift()
    this.#ended.push({ command: command.path, inside: mostlyInside, from: began, to: now })
  }

  /** Calls that were under way for all of the last `ms` milliseconds, or for nearly all of it and have just ended. */
  during(ms: number, running: Iterable<RunningCall>): readonly Occupant[] {
    const now = performance.now()
    const there = [...running].filter(({ began }) => now - began > ms * WHOLE)
    const ended = this.#ended.filter(({ from, to }) => to - Math.max(from, now - ms) > ms * WHOLE)
    this.#ended = []
    return [...there.map(({ command, mostlyInside }) => ({ command: command.path, inside: mostlyInside })), ...ended]
  }
}
