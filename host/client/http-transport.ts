import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import type { Incoming, Transport } from './transport.ts'

/** The last chunk and the trailer of an answer that a node left unfinished on purpose. */
const UNFINISHED = /(?:^|\r\n)0\r\nx-stream-error: ([^\r\n]*)\r\n$/i

/** Calls through Node's own HTTP: trailers are seen, also those of an answer that breaks off behind them, and nothing waits for a clock. */
export function httpTransport(): Transport {
  return {
    streams: true,
    post: (url, { headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, { method: 'POST', headers })
        const tail = new Tail()
        request.on('socket', socket => tail.watch(socket))
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
        if (body === undefined) request.end()
        else {
          const chunks = Symbol.asyncIterator in body ? Readable.from(body) : Readable.fromWeb(body.stream() as never)
          // an answer may come, and be whole, before all is sent
          pipeline(chunks, request, error => error && !answer?.complete && request.destroy(error))
        }
      })
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

/** The last bytes that came in on a connection: Node tells trailers only of an answer that is whole. */
class Tail {
  #socket: Socket | undefined
  #chunks: Buffer[] = []

  watch(socket: Socket): void {
    this.#socket = socket
    socket.on('data', this.#take)
  }

  leave(): void {
    this.#socket?.off('data', this.#take)
    this.#socket = undefined
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('latin1')
  }

  readonly #take = (chunk: Buffer): void => {
    const before = this.#chunks.at(-1)
    this.#chunks = before === undefined ? [chunk] : [before, chunk]
  }
}
