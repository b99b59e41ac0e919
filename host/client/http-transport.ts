import http, { type IncomingMessage, type RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import type { Incoming, Outgoing, Transport } from './transport.ts'

/** The last chunk and the trailer of an answer that a node left unfinished on purpose. */
const UNFINISHED = /(?:^|\r\n)0\r\nx-stream-error: ([^\r\n]*)\r\n$/i

/** The way to a node beside its URL: a socket's path, a family of addresses, whether the connection is kept for other calls. */
type Connection = Pick<RequestOptions, 'hostname' | 'port' | 'socketPath' | 'family' | 'agent'>

/** Calls through Node's own HTTP: trailers are seen, also those of an answer that breaks off behind them, and nothing waits for a clock. */
export function httpTransport(): Transport {
  return { streams: true, post: (url, outgoing) => httpRequest('POST', url, outgoing) }
}

/** One request. Nothing of a body is read before somebody is there to take it. @throws what keeps it from being sent and answered */
export async function httpRequest(
  method: 'GET' | 'POST',
  url: string,
  { headers, body, signal }: Outgoing,
  connection: Connection = {}
): Promise<Incoming> {
  const isSecure = url.startsWith('https:')
  // loaded for the rare node that needs it
  const { request: open } = isSecure ? await import('node:https') : http
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw new Error('aborted')
    const request = open(url, { method, headers, ...connection })
    const tail = new Tail()
    request.on('error', reject)
    let answer: IncomingMessage | undefined
    // once an answer is whole its connection may serve another call, so that is left alone
    const abort = () => (answer?.complete ? answer : request).destroy(answer?.complete ? undefined : new Error('aborted'))
    signal.addEventListener('abort', abort, { once: true })
    request.on('close', () => {
      signal.removeEventListener('abort', abort)
      tail.leave()
    })
    request.on('response', response => {
      answer = response
      // whoever reads is told; one that nobody reads any more has nobody to tell
      response.on('error', () => {})
      resolve(incoming(response, tail))
    })
    const send = () => {
      const chunks = Symbol.asyncIterator in body! ? Readable.from(gathered(body)) : Readable.fromWeb(body!.stream() as never)
      // an answer may come, and be whole, before all is sent
      pipeline(chunks, request, error => error && !answer?.complete && request.destroy(error))
    }
    request.on('socket', socket => {
      tail.watch(socket)
      if (body === undefined) return
      if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', send)
      else send()
    })
    if (body === undefined) request.end()
  })
}

/** Bytes that are sent together: as many small writes cost more than reading the files they come from (`bench/interop/command-line.ts`). */
const BATCH = 65_536

/**
 * The same bytes, small chunks joined. None waits longer than a turn of the event loop for those behind it, and each batch leaves it a turn. Large
 * chunks fill the connection at once: between two of them an answer might come from a node that takes no more, which a failing write would hide.
 */
async function* gathered(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const items = chunks[Symbol.asyncIterator]()
  let held: Uint8Array[] = []
  let size = 0
  let next: Promise<IteratorResult<Uint8Array, unknown>> | undefined
  let turn: Promise<undefined> | undefined
  try {
    for (;;) {
      next ??= items.next()
      const step = await (turn === undefined ? next : Promise.race([next, turn]))
      if (step !== undefined) next = undefined
      if (step?.done === false) {
        held.push(step.value)
        size += step.value.length
        if (step.value.length < BATCH) {
          turn ??= new Promise(resolve => setImmediate(() => resolve(undefined)))
          if (size < BATCH) continue
          await turn
        }
      }
      if (size > 0) yield held.length === 1 ? held[0]! : Buffer.concat(held, size)
      if (step?.done === true) return
      held = []
      size = 0
      turn = undefined
    }
  } finally {
    await items.return?.()
  }
}

function incoming(response: IncomingMessage, tail: Tail): Incoming {
  return {
    status: response.statusCode ?? 0,
    header: name => {
      const value = response.headers[name]
      return value === undefined ? null : String(value)
    },
    chunks: response,
    lateError() {
      const trailer = response.trailers['x-stream-error'] ?? (response.complete ? undefined : UNFINISHED.exec(tail.text())?.[1])
      return trailer === undefined ? undefined : Buffer.from(trailer, 'latin1').toString('utf8')
    }
  }
}

/** Bytes of a connection's end that are remembered: more than a trailer has. */
const TAIL = 8192

/** The last bytes that came in on a connection: Node tells trailers only of an answer that is whole. */
class Tail {
  #socket: Socket | undefined
  #bytes: Buffer = Buffer.alloc(0)

  watch(socket: Socket): void {
    this.#socket = socket
    socket.on('data', this.#take)
  }

  leave(): void {
    this.#socket?.off('data', this.#take)
    this.#socket = undefined
  }

  text(): string {
    return this.#bytes.toString('latin1')
  }

  readonly #take = (chunk: Buffer): void => {
    this.#bytes = chunk.length >= TAIL ? chunk.subarray(-TAIL) : Buffer.concat([this.#bytes.subarray(-(TAIL - chunk.length)), chunk])
  }
}
