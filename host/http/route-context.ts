import type { RouteContext } from '../../core/index.ts'
import type { Parameters } from './path-pattern.ts'

/** What a handler of a plugin knows of its request, and what ends its work. */
export class RequestContext implements RouteContext {
  readonly params: Parameters
  readonly stopping: AbortSignal
  readonly #query: string
  readonly #controller = new AbortController()

  constructor(params: Parameters, query: string, stopping: AbortSignal) {
    this.params = params
    this.stopping = stopping
    this.#query = query
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.#query)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Nobody waits for what the handler does any more. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
  }
}
