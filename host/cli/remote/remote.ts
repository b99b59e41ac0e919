import http, { type IncomingMessage } from 'node:http'
import { messageOf, NodeError } from '../../../core/errors.ts'
import { ERROR_DETAIL } from '../../../core/http.ts'
import { parseJson } from '../../client/json.ts'
import { version } from '../../version.ts'
import { cliErrors } from '../errors.ts'
import type { Answer, Wanted } from '../run/answer.ts'
import type { UploadSource } from '../upload/entry.ts'
import { Multipart } from '../upload/multipart.ts'
import type { ApiAddress } from './address.ts'

export interface RemoteRequest {
  readonly path: string
  readonly words: readonly string[]
  readonly pairs: ReadonlyArray<readonly [name: string, value: string]>
  readonly upload: UploadSource | undefined
  readonly wanted: Wanted
  /** Whether the command answers octets of its own, whatever the encoding. */
  readonly octets: boolean
  readonly signal: AbortSignal
  /** Who lets this program ask, beside its own name. */
  readonly userAgent?: string | undefined
  onSent(bytes: number): void
}

/** The largest error that is read, in bytes. */
const ERROR_MAX = 1_048_576

/** A node that is reached over HTTP. */
export class Remote {
  readonly #address: ApiAddress
  readonly #authorization: string | undefined

  /** @param secret - as in the node's API.Authorizations: `bearer:TOKEN`, `basic:USER:PASSWORD`, or a bearer's token alone */
  constructor(address: ApiAddress, secret?: string) {
    this.#address = address
    this.#authorization = secret === undefined || secret === '' ? undefined : authorizationOf(secret)
  }

  get address(): string {
    return this.#address.text
  }

  /**
   * Calls a command.
   *
   * @throws NodeError what the node answers; E_API_UNREACHABLE with the reason in `cause` when there is none
   */
  async ask(request: RemoteRequest): Promise<Answer> {
    const { path, wanted, octets, upload, signal } = request
    const multipart = upload === undefined ? undefined : new Multipart(upload)
    const exchange = await this.#send('POST', `/api/v0/${path}${queryOf(request)}`, multipart, request)
    const response = exchange.response!
    if (response.statusCode !== 200) throw await errorOf(response)
    const bytes = exchange.body(path, signal)
    if (octets || wanted !== 'items') {
      const length = Number(response.headers['x-content-length'] ?? Number.NaN)
      return { kind: 'bytes', bytes, length: octets && Number.isSafeInteger(length) ? length : undefined }
    }
    return { kind: 'items', items: parsed(bytes, path) }
  }

  /** What a route beside the RPC answers, as JSON. */
  get(path: string, signal: AbortSignal): Promise<unknown> {
    return this.#json('GET', path, signal)
  }

  /** The first value that a command without arguments answers. @throws E_API_ANSWER */
  post(path: string, signal: AbortSignal): Promise<unknown> {
    return this.#json('POST', path, signal)
  }

  async #json(method: 'GET' | 'POST', path: string, signal: AbortSignal): Promise<unknown> {
    const exchange = await this.#send(method, path, undefined, { path, signal, onSent() {} })
    const chunks: Uint8Array[] = []
    for await (const chunk of exchange.body(path, signal)) chunks.push(chunk)
    const status = exchange.response!.statusCode
    if (status !== 200) throw cliErrors.E_API_ANSWER(path, `status ${status}`)
    return JSON.parse(Buffer.concat(chunks).toString())
  }

  async #send(
    method: string,
    target: string,
    multipart: Multipart | undefined,
    { signal, userAgent, onSent }: Pick<RemoteRequest, 'path' | 'signal' | 'userAgent' | 'onSent'>
  ): Promise<Exchange> {
    // loaded for the rare address that needs it
    const { request } = this.#address.secure ? await import('node:https') : http
    signal.throwIfAborted()
    const headers: Record<string, string> = {
      'User-Agent': `holdfast-cli/${version}${userAgent === undefined ? '' : ` (${fieldText(userAgent)})`}`
    }
    if (this.#authorization !== undefined) headers['Authorization'] = this.#authorization
    if (multipart === undefined) headers['Content-Length'] = '0'
    else headers['Content-Type'] = multipart.contentType
    const call = request({ ...this.#address.target, method, path: target, headers, agent: false, signal })
    const exchange = new Exchange()
    call.on('socket', socket => socket.on('data', chunk => exchange.seen(chunk)))
    return new Promise((resolve, reject) => {
      let connected = false
      call.on('error', (error: NodeJS.ErrnoException) => {
        if (signal.aborted) reject(signal.reason)
        else if (exchange.failure !== undefined) reject(exchange.failure)
        else reject(Object.assign(cliErrors.E_API_UNREACHABLE(this.address, unreachable(error)), { cause: error, connected }))
      })
      call.on('response', response => {
        exchange.response = response
        resolve(exchange)
      })
      if (multipart === undefined) {
        call.end()
        return
      }
      call.on('socket', socket => {
        const send = () => {
          connected = true
          pump(multipart.chunks(onSent), call, () => exchange.response?.complete === true).catch(error => {
            exchange.failure = error
            call.destroy()
          })
        }
        if (socket.connecting) socket.once(this.#address.secure ? 'secureConnect' : 'connect', send)
        else send()
      })
    })
  }
}

/** Bytes of an answer's end that are remembered. */
const TAIL = 8192

/** One request and its answer. */
class Exchange {
  response: IncomingMessage | undefined
  /** What went wrong with what was to be sent. */
  failure: unknown
  #tail: Buffer = Buffer.alloc(0)

  /** Takes note of what comes in, as a broken answer's trailer reaches nobody else. */
  seen(chunk: Buffer): void {
    this.#tail = chunk.length >= TAIL ? chunk.subarray(-TAIL) : Buffer.concat([this.#tail.subarray(-(TAIL - chunk.length)), chunk])
  }

  /**
   * The octets of the answer.
   *
   * @throws NodeError the error that came behind them; E_API_BROKEN when they end early
   */
  async *body(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const response = this.response!
    try {
      yield* response as AsyncIterable<Uint8Array>
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (this.failure !== undefined) throw this.failure
      const late = /\r\nX-Stream-Error: ([^\r\n]*)\r\n$/i.exec(this.#tail.toString('latin1'))?.[1]
      if (late !== undefined) throw lateError(late)
      throw Object.assign(cliErrors.E_API_BROKEN(path), { cause: error })
    }
    const late = response.trailers['x-stream-error']
    if (late !== undefined) throw lateError(late)
  }
}

function lateError(field: string): Error {
  return new NodeError('E_REMOTE', textOf(field))
}

/** Header fields are bytes; the text in them is UTF-8. */
function textOf(field: string): string {
  return Buffer.from(field, 'latin1').toString()
}

/** Sends a body, until nobody wants it. */
async function pump(chunks: AsyncIterable<Uint8Array>, call: http.ClientRequest, answered: () => boolean): Promise<void> {
  for await (const chunk of chunks) {
    if (call.destroyed || answered()) return
    if (call.write(chunk)) continue
    await new Promise<void>(resolve => {
      const done = () => {
        call.off('drain', done)
        call.off('close', done)
        resolve()
      }
      call.on('drain', done).on('close', done)
    })
  }
  call.end()
}

function queryOf({ words, pairs, wanted, octets }: RemoteRequest): string {
  const encoding = wanted === 'items' ? 'json' : wanted
  const all = [...words.map(word => ['arg', word] as const), ...pairs, ...(octets ? [] : [['encoding', encoding] as const])]
  const text = [...all, ['stream-channels', 'true'] as const].map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `?${text.join('&')}`
}

/** Text that may stand in a comment of a header field. */
function fieldText(text: string): string {
  return text.replace(/[^ -'*-~]/g, '?').slice(0, 200)
}

function authorizationOf(secret: string): string {
  const [, kind, rest = ''] = /^(basic|bearer):(.*)$/s.exec(secret) ?? []
  if (kind === 'basic') return `Basic ${rest.includes(':') ? Buffer.from(rest).toString('base64') : rest}`
  return `Bearer ${kind === undefined ? secret : rest}`
}

async function errorOf(response: IncomingMessage): Promise<Error> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > ERROR_MAX) break
    }
  } catch {
    // the status says enough
  }
  const text = Buffer.concat(chunks).toString()
  const field = response.headers[ERROR_DETAIL.toLowerCase()]
  const detail = typeof field === 'string' ? textOf(field) : undefined
  const wire = response.statusCode === 400 ? 'client' : response.statusCode === 403 ? 'forbidden' : 'normal'
  return new NodeError(
    asksForSecret(response.statusCode, text) ? 'E_REMOTE_UNAUTHORIZED' : wire === 'forbidden' ? 'E_REMOTE_FORBIDDEN' : 'E_REMOTE',
    messageIn(text) ?? `the node answered with status ${response.statusCode}`,
    wire,
    detail === undefined ? undefined : { http: { headers: { [ERROR_DETAIL]: detail } } }
  )
}

/** Whether a secret is what lacks: one that is known and may too little is refused in other words. */
function asksForSecret(status: number | undefined, text: string): boolean {
  return status === 401 || (status === 403 && text.includes('Please provide a valid authorization token'))
}

function messageIn(text: string): string | undefined {
  if (text.startsWith('{')) {
    try {
      const { Message } = JSON.parse(text) as { Message?: unknown }
      if (typeof Message === 'string') return Message
    } catch {
      // no object after all
    }
  }
  return text.trim() === '' ? undefined : text.trimEnd()
}

function unreachable(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') return 'nobody listens there'
  return error.message === '' ? String(error.code) : messageOf(error)
}

/** The objects of a body that has one a line. */
async function* parsed(bytes: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let held = ''
  const read = (line: string) => {
    try {
      return parseJson(line)
    } catch {
      throw cliErrors.E_API_ANSWER(path, line.slice(0, 80))
    }
  }
  for await (const chunk of bytes) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split('\n')
    held = lines.pop()!
    for (const line of lines) if (line.trim() !== '') yield read(line)
  }
  if (held.trim() !== '') yield read(held)
}
