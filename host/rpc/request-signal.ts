import type { CallSignal } from '../../core/index.ts'

/** The signal that tells a call that its caller has left. It costs no more than an object until somebody listens. */
export class RequestSignal implements CallSignal {
  #listeners: Array<() => void> | undefined
  aborted = false

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners ??= []
    this.#listeners.push(listener)
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners?.filter(other => other !== listener)
  }

  /** Called when the caller has left. */
  abort(): void {
    if (this.aborted) return
    this.aborted = true
    const listeners = this.#listeners
    this.#listeners = undefined
    for (const listener of listeners ?? []) listener()
  }
}
