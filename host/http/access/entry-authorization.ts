import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Authorization } from '../../../core/index.ts'

/** The authorization that one entry gives, for as long as the entry stays as it is. */
export class EntryAuthorization implements Authorization {
  readonly id = randomUUID()
  readonly #ended = new AbortController()

  constructor() {
    // each session that it began listens
    setMaxListeners(0, this.#ended.signal)
  }

  get ended(): AbortSignal {
    return this.#ended.signal
  }

  end(): void {
    this.#ended.abort()
  }
}
