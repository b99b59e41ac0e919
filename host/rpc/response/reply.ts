import type { IncomingMessage, ServerResponse } from 'node:http'
import { watchClient } from '../../../core/callers/index.ts'
import { encodeUtf8 } from '../../../core/go/utf8.ts'
import { type Call, type Command, type Encoding, type HttpWords, httpOf, messageOf, type Result } from '../../../core/index.ts'
import type { BatchedEnds } from '../../http/batched-ends.ts'
import { type Fields, fieldValue, withFields } from '../../http/fields.ts'
import { closeAfter, isWhole, linger, lookForRest } from '../../http/lingering-close.ts'
import { rpcErrors } from '../../http/listener-errors.ts'
import { checkedOverride, overridden } from '../../http/override.ts'
import type { RequestSignal } from '../request-signal.ts'
import { BodyWriter, SMALL_BYTES } from './body-writer.ts'
import type { ReplyKind, ResponseHeaders } from './headers.ts'

/** The parts that answering one request takes. */
interface ReplyContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly headers: ResponseHeaders
  readonly cors: Fields
  readonly encoding: Encoding
  readonly signal: RequestSignal
  readonly ends: BatchedEnds
  readonly lateFailure: 'break' | 'finish'
  /** Whether the command takes a body, which it may read while it answers. */
  readonly takesBody: boolean
  /** How long a client may take nothing of an answer while its body is not read to the end, in milliseconds; 0 for any time. */
  readonly bodyTimeoutMs: number
  /** Told of errors that nobody may have declared. */
  onError(error: unknown): void
}

type Pieces = AsyncIterator<unknown> | Iterator<unknown>

/** Answers a request with what a command made, in the form the reference gives each kind (go-ipfs-cmds 0.10, http/responseemitter.go). */
export class Reply {
  readonly #context: ReplyContext
  readonly #writer: BodyWriter
  #opened = false
  #words: HttpWords | undefined

  constructor(context: ReplyContext) {
    this.#context = context
    this.#writer = new BodyWriter(context.response, context.ends)
  }

  /** @param call - for commands that write their own text */
  async result(result: Result, command: Command, call: () => Call): Promise<void> {
    this.#words = result.http
    const { encoding, request } = this.#context
    if (!isWhole(request)) await lookForRest(request)
    const text = encoding.name === 'text' ? command.text : undefined
    const told = text === undefined ? undefined : call()
    switch (result.kind) {
      case 'nothing':
        return this.nothing()
      case 'value':
        if (text === undefined) return this.#one('value', () => encoding.value(result.value))
        if (typeof text === 'function') return this.#one('value', () => text(result.value, told!))
        return this.#flow('value', iterate(text.lines(once(result.value), told!)), asText)
      case 'stream': {
        if (result.eager) {
          this.#open('stream', 200, encoding.contentType)
          this.#writer.open()
        }
        if (typeof text === 'object') return this.#flow('stream', iterate(text.lines(asAsync(result.items), told!)), asText)
        const encode = (item: unknown) => (text === undefined ? encoding.item(item) : text(item, told!))
        const { items, eager } = result
        if (eager !== true && isOne(items)) return this.#one('stream', () => encode(items[0]))
        return this.#flow('stream', iterate(items), item => asText(encode(item)))
      }
      case 'bytes':
        if (isSmallList(result.bytes)) {
          this.#open('bytes', 200, encoding.contentType, result.length)
          return this.#writer.endWithBytes(result.bytes)
        }
        if (result.eager) {
          this.#open('bytes', 200, encoding.contentType, result.length)
          this.#writer.open()
        }
        return this.#flow('bytes', iterate(result.bytes), piece => piece as Uint8Array, result.length)
    }
  }

  nothing(): void {
    this.#open('stream', 200, this.#context.encoding.contentType)
    this.#writer.end()
  }

  /**
   * Answers an error: as the answer while nothing has been sent, else behind what was.
   *
   * @param length - of the answer there should have been, which the reference tells all the same
   */
  error(error: unknown, length?: number | bigint): void {
    const { encoding, signal, response, onError } = this.#context
    if (signal.aborted || response.destroyed) return
    onError(error)
    if (this.#opened) this.#failLate(error)
    else {
      const { status, body, ...words } = httpOf(error)
      this.#words = { ...words, status }
      this.#open('error', status, body === undefined ? encoding.errorType : typeOfBody(body), length)
      if (typeof body === 'object') response.end(body)
      else this.#writer.endWith(body ?? encoding.error(error))
    }
  }

  /** Answers one item that is all of the answer. */
  #one(kind: 'value' | 'stream', encode: () => string): void {
    let body: string | Uint8Array = ''
    let failure: { error: unknown } | undefined
    try {
      body = asText(encode())
    } catch (error) {
      failure = { error }
    }
    // the reference has its head out before it encodes, so a value that cannot be encoded is a late failure
    this.#open(kind, 200, this.#context.encoding.contentType)
    if (failure !== undefined) this.error(failure.error)
    else if (typeof body === 'string') this.#writer.endWith(body)
    else this.#context.response.end(body)
  }

  async #flow(kind: ReplyKind, pieces: Pieces, encode: (piece: unknown) => string | Uint8Array, length?: number | bigint): Promise<void> {
    const { signal, request, response, encoding } = this.#context
    try {
      let step = await pieces.next()
      if (!this.#opened && !isWhole(request)) await lookForRest(request)
      if (!this.#opened) this.#open(kind, 200, encoding.contentType, length)
      while (step.done !== true) {
        const room = this.#writer.push(encode(step.value))
        if (room !== undefined) await this.#room(room, pieces)
        if (signal.aborted || response.destroyed) {
          await pieces.return?.()
          return
        }
        step = await pieces.next()
      }
      if (!response.destroyed) this.#writer.end()
    } catch (error) {
      if (!this.#opened) await lookForRest(request)
      this.error(error, length)
    }
  }

  /**
   * Waits until the client takes more. One that reads nothing of its answer before it has sent all would wait for this side, which waits for it: the work
   * ends then, and what the client still sends is thrown away, so that it comes to read why.
   *
   * @throws E_RPC_ANSWER_UNREAD
   */
  async #room(room: Promise<void>, pieces: Pieces): Promise<void> {
    const { request, response, bodyTimeoutMs } = this.#context
    if (isWhole(request)) return room
    const late = Promise.withResolvers<'late'>()
    const release = watchClient(response, bodyTimeoutMs)
    const isLate = () => late.resolve('late')
    response.once('timeout', isLate)
    const what = await Promise.race([room, late.promise])
    response.off('timeout', isLate)
    // the connection of one that goes on so is broken off after as long again
    if (what !== 'late') return release()
    await pieces.return?.()
    request.removeAllListeners('data')
    request.resume()
    throw rpcErrors.E_RPC_ANSWER_UNREAD(bodyTimeoutMs)
  }

  #open(kind: ReplyKind, status: number, contentType: string, length?: number | bigint): void {
    const { request, response, headers, cors } = this.#context
    this.#opened = true
    const whole = isWhole(request)
    const words = checkedOverride(this.#words, this.#context.onError)
    const sent = words.status ?? status
    const hasBody = sent !== 204 && sent !== 304
    let fields = headers.reply(kind, kind === 'bytes' ? 'text/plain' : contentType, hasBody && isNewer(request))
    if (cors.length > 0) fields = withFields(fields, cors)
    fields = overridden(fields, words.fields)
    if (length !== undefined) fields = [...fields, 'X-Content-Length', String(length)]
    if (!whole) {
      fields = [...fields, 'Connection', 'close']
      closeAfter(request, response)
      this.#throwAway(request)
    }
    // said by itself, so that Node.js adds no `Keep-Alive` field, which the reference has not
    else if (isNewer(request) && response.shouldKeepAlive) fields = [...fields, 'Connection', 'keep-alive']
    response.writeHead(sent, fields as string[])
  }

  /** What nobody reads would stop the connection, so that it were never seen that the client has left. */
  #throwAway(request: IncomingMessage): void {
    if (!this.#context.takesBody && request.listenerCount('data') === 0) request.resume()
  }

  /**
   * An error behind the first byte. The last chunk and the trailer that names the error are sent; unless told to finish, the message is
   * then left without its end and the connection closed, so that no client takes what it has for the whole.
   */
  #failLate(error: unknown): void {
    const { request, response, lateFailure } = this.#context
    const text = fieldValue(messageOf(error))
    this.#writer.flush()
    if (!isNewer(request)) {
      // HTTP/1.0 has no chunks and no trailers: only a reset tells that something is missing
      if (lateFailure === 'finish') response.end()
      else request.socket.resetAndDestroy()
      return
    }
    if (lateFailure === 'finish') {
      response.addTrailers([['X-Stream-Error', text]])
      response.end()
      return
    }
    response.chunkedEncoding = false
    response.write(`0\r\nX-Stream-Error: ${text}\r\n`, 'latin1', () => linger(request))
  }
}

function isNewer(request: IncomingMessage): boolean {
  return request.httpVersionMinor > 0 || request.httpVersionMajor > 1
}

/** The content type of an error's own body that names none. */
function typeOfBody(body: string | Uint8Array): string {
  return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream'
}

/** A piece of text; what is no UTF-8 in it (see `core/go/utf8.ts`) goes out as the bytes it stands for. */
function asText(piece: unknown): string | Uint8Array {
  const text = piece as string
  return text.isWellFormed() ? text : encodeUtf8(text)
}

function isOne(items: AsyncIterable<unknown> | Iterable<unknown>): items is readonly [unknown] {
  return Array.isArray(items) && items.length === 1
}

/** Whether these are bytes that are all there and few enough to go out as one. */
function isSmallList(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): bytes is readonly Uint8Array[] {
  return Array.isArray(bytes) && bytes.reduce((sum, { length }) => sum + length, 0) <= SMALL_BYTES
}

function iterate(from: AsyncIterable<unknown> | Iterable<unknown>): Pieces {
  return Symbol.asyncIterator in from ? from[Symbol.asyncIterator]() : from[Symbol.iterator]()
}

async function* once(value: unknown): AsyncGenerator<unknown> {
  yield value
}

async function* asAsync(items: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<unknown> {
  yield* items
}
