import { readStream } from './content.ts'

/** The body of a request: as it is made, or whole. */
export type OutgoingBody = AsyncIterable<Uint8Array> | Blob | undefined

export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>
  readonly body: OutgoingBody
  readonly signal: AbortSignal
}

/** An answer whose head has come. */
export interface Incoming {
  readonly status: number
  header(name: string): string | null
  /** The body. Ends without an error only where the answer is whole, as far as the transport can see. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** The text of the trailer `X-Stream-Error` once the body has ended or broken off, where the transport sees trailers. */
  lateError(): string | undefined
}

/** Carries one POST. Rejects where no answer comes. */
export interface Transport {
  /** Whether a body can be sent while it is made. */
  readonly streams: boolean
  post(url: string, outgoing: Outgoing): Promise<Incoming>
}

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Calls through `fetch`, which shows no trailers: an answer that broke off is known as such, but not why, and one that a node ended
 * properly behind an error (Kubo does; `rpc.lateFailure: finish`) looks whole.
 *
 * @param streams - whether request bodies may be streams: true in Node, Deno and Bun; browsers do so over HTTP/2 alone
 */
export function fetchTransport(fetch: Fetch, streams: boolean): Transport {
  return {
    streams,
    async post(url, { headers, body, signal }) {
      const init: RequestInit & { duplex?: 'half' } = { method: 'POST', headers, signal }
      if (body !== undefined && Symbol.asyncIterator in body) {
        init.body = asStream(body) as never
        init.duplex = 'half'
      } else if (body !== undefined) init.body = body
      const response = await fetch(url, init)
      return {
        status: response.status,
        header: name => response.headers.get(name),
        chunks: response.body === null ? nothing() : readStream(response.body as ReadableStream<Uint8Array>),
        lateError: () => undefined
      }
    }
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function asStream(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const items = body[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await items.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await items.return?.()
    }
  })
}
