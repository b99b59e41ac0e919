import { ERROR_DETAIL } from '../../../core/contract/http.ts'
import { messageOf, NodeError } from '../../../core/errors.ts'
import { encodeUtf8 } from '../../../core/go/utf8.ts'
import { bodyOf, errorText } from '../../client/answer.ts'
import { toldOf } from '../../client/errors.ts'
import { httpRequest } from '../../client/http-transport.ts'
import { LineError, parseLines } from '../../client/json.ts'
import type { Incoming } from '../../client/transport.ts'
import { type Sending, sendingOf } from '../../client/upload.ts'
import { authorizationHeader } from '../../http/access/secret.ts'
import { version } from '../../version.ts'
import { cliErrors } from '../errors.ts'
import type { Answer, Wanted } from '../run/answer.ts'
import type { UploadSource } from '../upload/entry.ts'
import { partsOf } from '../upload/parts.ts'
import type { ApiAddress } from './address.ts'

interface RemoteRequest {
  readonly path: string
  readonly words: readonly string[]
  readonly pairs: ReadonlyArray<readonly [name: string, value: string]>
  readonly upload: UploadSource | undefined
  readonly wanted: Wanted
  /** Whether the command answers octets of its own, whatever the encoding. */
  readonly octets: boolean
  readonly signal: AbortSignal
  /** The program that has this one ask, named beside it. */
  readonly userAgent?: string | undefined
  onSent(bytes: number): void
}

/** A node that is reached over HTTP, by the transport and the multipart body of the client. */
export class Remote {
  readonly #address: ApiAddress
  readonly #authorization: string | undefined

  /** @param secret - as in the node's API.Authorizations: `bearer:TOKEN`, `basic:USER:PASSWORD`, or a bearer's token alone */
  constructor(address: ApiAddress, secret?: string) {
    this.#address = address
    this.#authorization = secret === undefined || secret === '' ? undefined : (authorizationHeader(secret) ?? `Bearer ${secret}`)
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
    const { path, wanted, octets, upload, signal, userAgent, onSent } = request
    const sending = upload === undefined ? undefined : await sendingOf(partsOf(upload, onSent), true)
    const incoming = await this.#send('POST', `/api/v0/${path}${queryOf(request)}`, { sending, signal, userAgent })
    if (incoming.status !== 200) throw await errorOf(incoming)
    const bytes = octetsOf(incoming, path, signal, sending)
    if (octets || wanted !== 'items') {
      const length = Number(incoming.header('x-content-length') ?? Number.NaN)
      return { kind: 'bytes', bytes, length: octets && Number.isSafeInteger(length) ? length : undefined }
    }
    return { kind: 'items', items: valuesOf(bytes, path) }
  }

  /** The answer of a route beside the RPC, as JSON, where it has one of these statuses. @throws E_API_ANSWER */
  get(path: string, signal: AbortSignal, statuses: readonly number[] = [200]): Promise<unknown> {
    return this.#json('GET', path, signal, statuses)
  }

  /** The first value that a command without arguments answers. @throws E_API_ANSWER */
  post(path: string, signal: AbortSignal): Promise<unknown> {
    return this.#json('POST', path, signal)
  }

  async #json(method: 'GET' | 'POST', path: string, signal: AbortSignal, statuses: readonly number[] = [200]): Promise<unknown> {
    const incoming = await this.#send(method, path, { signal })
    if (!statuses.includes(incoming.status)) throw cliErrors.E_API_ANSWER(path, `status ${incoming.status}`)
    const chunks: Uint8Array[] = []
    for await (const chunk of octetsOf(incoming, path, signal, undefined)) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    try {
      return JSON.parse(text)
    } catch {
      throw cliErrors.E_API_ANSWER(path, text.slice(0, 80))
    }
  }

  async #send(
    method: 'GET' | 'POST',
    target: string,
    { sending, signal, userAgent }: { sending?: Sending | undefined; signal: AbortSignal; userAgent?: string | undefined }
  ): Promise<Incoming> {
    const { secure, target: connection } = this.#address
    const headers = {
      'User-Agent': `holdfast-cli/${version}${userAgent === undefined ? '' : ` (${fieldText(userAgent)})`}`,
      ...(this.#authorization === undefined ? {} : { Authorization: this.#authorization }),
      ...(sending === undefined ? {} : { 'Content-Type': sending.contentType })
    }
    try {
      const url = `${secure ? 'https' : 'http'}://localhost${target}`
      // the process ends with its call, and so does the connection
      return await httpRequest(method, url, { headers, body: sending?.body, signal }, { ...connection, agent: false })
    } catch (error) {
      throw (
        failureOf(signal, sending) ??
        Object.assign(cliErrors.E_API_UNREACHABLE(this.address, unreachable(error as NodeJS.ErrnoException)), { cause: error })
      )
    }
  }
}

/** The reason that ended a request from this side: that the caller left, or that what was to be sent could not be read. */
function failureOf(signal: AbortSignal, sending: Sending | undefined): unknown {
  return signal.aborted ? signal.reason : sending?.failure()?.error
}

/** The octets of an answer. @throws NodeError the error that came behind them; E_API_BROKEN when they end early */
function octetsOf(incoming: Incoming, path: string, signal: AbortSignal, sending: Sending | undefined): AsyncGenerator<Uint8Array> {
  return bodyOf(incoming, {
    late: text => failureOf(signal, sending) ?? new NodeError('E_REMOTE', text),
    broken: error => failureOf(signal, sending) ?? Object.assign(cliErrors.E_API_BROKEN(path), { cause: error })
  })
}

/** The objects of an answer that has one a line. @throws E_API_ANSWER */
async function* valuesOf(bytes: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<unknown> {
  try {
    yield* parseLines(bytes)
  } catch (error) {
    throw error instanceof LineError ? cliErrors.E_API_ANSWER(path, error.line) : error
  }
}

function queryOf({ words, pairs, wanted, octets }: RemoteRequest): string {
  const encoding = wanted === 'items' ? 'json' : wanted
  const all = [...words.map(word => ['arg', word] as const), ...pairs, ...(octets ? [] : [['encoding', encoding] as const])]
  const text = [...all, ['stream-channels', 'true'] as const].map(([name, value]) => `${name}=${escaped(value)}`)
  return `?${text.join('&')}`
}

/** A value of a query; bytes that are no UTF-8 in it (see `core/go/utf8.ts`) stand for themselves. */
function escaped(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : encodeUtf8(value).toString('hex').replace(/../g, '%$&')
}

/** Text that may stand in a comment of a header field. */
function fieldText(text: string): string {
  return text.replace(/[^ -'*-~]/g, '?').slice(0, 200)
}

async function errorOf(incoming: Incoming): Promise<Error> {
  const { status } = incoming
  const text = await errorText(incoming.chunks)
  const { message = `the node answered with status ${status}` } = toldOf(text)
  const field = incoming.header(ERROR_DETAIL.toLowerCase())
  const wire = status === 400 ? 'client' : status === 403 ? 'forbidden' : 'normal'
  return new NodeError(
    asksForSecret(status, text) ? 'E_REMOTE_UNAUTHORIZED' : wire === 'forbidden' ? 'E_REMOTE_FORBIDDEN' : 'E_REMOTE',
    message,
    wire,
    // header fields are bytes; the text in them is UTF-8
    field === null ? undefined : { http: { headers: { [ERROR_DETAIL]: Buffer.from(field, 'latin1').toString() } } }
  )
}

/** Whether a secret is what lacks: one that is known and may too little is refused in other words. */
function asksForSecret(status: number, text: string): boolean {
  return status === 401 || (status === 403 && text.includes('Please provide a valid authorization token'))
}

function unreachable(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') return 'nobody listens there'
  return error.message === '' ? String(error.code) : messageOf(error)
}
