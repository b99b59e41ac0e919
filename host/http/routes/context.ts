import type { ServerResponse } from 'node:http'
import { searchParams } from '../../../core/go/query.ts'
import { type Caller, commonErrors, type RouteContext } from '../../../core/index.ts'
import type { BatchedEnds } from '../batched-ends.ts'
import type { Parameters } from './path-pattern.ts'

/** The context of a request for a plugin's handler, and the signal that ends its work. */
export class RequestContext implements RouteContext {
  readonly params: Parameters
  readonly caller: Caller
  readonly #query: string
  readonly #left = new AbortController()
  readonly #nodeStops: AbortSignal
  readonly #ends: BatchedEnds
  #stopping: AbortController | undefined

  /**
   * @param nodeStops - fires for all requests
   * @param ends - of all requests
   */
  constructor(params: Parameters, query: string, caller: Caller, nodeStops: AbortSignal, ends: BatchedEnds) {
    this.params = params
    this.caller = caller
    this.#query = query
    this.#nodeStops = nodeStops
    this.#ends = ends
  }

  get query(): URLSearchParams {
    return searchParams(this.#query)
  }

  get signal(): AbortSignal {
    return this.#left.signal
  }

  /** A signal of this request's own, as handlers seldom take back what they add to one. */
  get stopping(): AbortSignal {
    if (this.#stopping === undefined) {
      this.#stopping = new AbortController()
      if (this.#nodeStops.aborted) this.#stop()
      else this.#nodeStops.addEventListener('abort', this.#stop)
    }
    return this.#stopping.signal
  }

  end(response: ServerResponse, last?: string | Uint8Array, encoding?: BufferEncoding): void {
    this.#ends.add(response, last, encoding)
  }

  abort(reason: Error): void {
    this.#left.abort(reason)
  }

  /** The request is over. @param isAnswered - whether to its end */
  over(isAnswered: boolean): void {
    if (this.#stopping !== undefined) this.#nodeStops.removeEventListener('abort', this.#stop)
    if (!isAnswered) this.abort(commonErrors.E_CANCELLED())
  }

  readonly #stop = (): void => this.#stopping?.abort(this.#nodeStops.reason)
}
