import type { ServerResponse } from 'node:http'

/** Most answers that wait for the end of a turn. */
const MOST = 64

interface Ending {
  readonly response: ServerResponse
  readonly last: string | Uint8Array | undefined
  readonly encoding: BufferEncoding
}

/**
 * The last pieces of what is answered within one turn of the event loop, sent together at its end: a client that is woken by one answer finds
 * those to its other requests too, which makes many small ones twice as fast.
 */
export class BatchedEnds {
  readonly #waiting: Ending[] = []

  /** Ends an answer. */
  add(response: ServerResponse, last: string | Uint8Array | undefined, encoding: BufferEncoding = 'utf8'): void {
    const waiting = this.#waiting.push({ response, last, encoding })
    if (waiting === 1) setImmediate(this.#send)
    else if (waiting === MOST) this.#send()
  }

  readonly #send = (): void => {
    for (const { response, last, encoding } of this.#waiting.splice(0)) response.end(last, encoding)
  }
}
