import type { CallSignal } from '../../core/index.ts'

/** Tells a call that its caller has left. It costs no more than an object until somebody listens. */
export class Departure implements CallSignal {
  #listeners: Array<() => void> | undefined
  aborted = false

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners ??= []
    this.#listeners.push(listener)
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners?.filter(other => other !== listener)
  }

  /** The caller has left. */
  happen(): void {
    if (this.aborted) return
    this.aborted = true
    const listeners = this.#listeners
    this.#listeners = undefined
    for (const listener of listeners ?? []) listener()
  }
}
