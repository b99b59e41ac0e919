import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { taken, watchEnd } from '../../../core/callers/index.ts'
import { byteString } from '../../../core/go/index.ts'
import { hasCode, httpOf, type RouteContext } from '../../../core/index.ts'
import type { GatewayConfig } from '../config.ts'
import { fieldValue } from '../headers.ts'
import { errorPage } from '../pages/error.ts'
import { escapeHtml } from '../pages/escape.ts'
import { acceptsHtml } from '../request/format.ts'
import { canonicalEscapes } from '../request/target.ts'
import type { GatewaySettings } from '../settings.ts'
import { pump } from './pump.ts'
import { explanationOf, statusOf } from './status.ts'

/** Up to this size a body goes out with its head in one piece of text, one character a byte. */
const SMALL = 16 << 10

/** Characters of an error that are told: it may name a CID that holds a block. */
export const LONGEST_MESSAGE = 32_768

/** Fields that an error keeps of the answer that there should have been. */
const KEPT = new Set(['X-Ipfs-Path', 'X-Ipfs-Roots'])

/** Ends an answer together with others, where that is cheaper. */
type End = RouteContext['end']
export type ReplyConfig = Pick<GatewayConfig, 'headers' | 'addsHeaders' | 'htmlErrors'> & Pick<GatewaySettings, 'stalledTimeoutMs'>

/** The answer to one request: its fields as they become known, then its body. */
export class Reply {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly isHead: boolean
  readonly #config: ReplyConfig
  readonly #end: End
  #fields: string[] = []

  constructor(request: IncomingMessage, response: ServerResponse, config: ReplyConfig, end: End) {
    this.request = request
    this.response = response
    this.isHead = request.method === 'HEAD'
    this.#config = config
    this.#end = end
  }

  /** Whether nothing has been sent yet. */
  get isOpen(): boolean {
    return !this.response.headersSent && !this.response.destroyed
  }

  /** Sets a field whose value is ASCII, in the place of one of the same name. */
  set(name: string, value: string): this {
    const at = this.#indexOf(name)
    if (at < 0) this.#fields.push(name, value)
    else this.#fields[at + 1] = value
    return this
  }

  /** The same with any text. */
  setText(name: string, value: string): this {
    return this.set(name, fieldValue(value))
  }

  /** Adds a field with any text, also where there is one of that name. */
  add(name: string, value: string): this {
    this.#fields.push(name, fieldValue(value))
    return this
  }

  /** Tells caches that the answer is for callers who accept the same, beside what the configuration says it varies by. */
  varyByAccept(): this {
    const { headers } = this.#config
    const configured = headers.filter((_, i) => i % 2 === 1 && headers[i - 1] === 'Vary')
    return this.set('Vary', [...new Set([...configured, 'Accept'])].join(', '))
  }

  unset(name: string): this {
    const at = this.#indexOf(name)
    if (at >= 0) this.#fields.splice(at, 2)
    return this
  }

  /** An answer without a body; `length` is told where the answer to a GET would have one. */
  empty(status: number, length?: number | bigint): void {
    if (length !== undefined) this.set('Content-Length', String(length))
    this.#writeHead(status)
    this.#last()
  }

  /** A whole body, in one write with its head where it is small. @returns when the client has taken a large one, where that is not at once */
  whole(status: number, body: Uint8Array): Promise<void> | undefined {
    this.set('Content-Length', String(body.length))
    this.#writeHead(status)
    if (!this.isHead && body.length > SMALL) {
      this.response.end(body)
      return taken(this.response, this.#config.stalledTimeoutMs)
    }
    this.#last(this.isHead ? undefined : Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'))
    return undefined
  }

  /** The same of text. */
  text(status: number, body: string): void {
    const bytes = byteString(body)
    this.set('Content-Length', String(bytes.length))
    this.#writeHead(status)
    this.#last(this.isHead ? undefined : bytes)
  }

  /** A page that the gateway makes: it comes in chunks, as those of any length do. */
  page(status: number, html: string): void {
    this.#writeHead(status)
    this.response.end(this.isHead ? undefined : Buffer.from(html))
    watchEnd(this.response, this.#config.stalledTimeoutMs)
  }

  /**
   * A body that flows. Of one that fails, or is not as long as was said, the connection is broken off, so that nobody takes it for whole.
   *
   * @param length - undefined: as long as it is
   */
  async flow(status: number, pieces: AsyncIterable<Uint8Array>, length?: number | bigint): Promise<void> {
    if (length !== undefined) this.set('Content-Length', String(length))
    this.#writeHead(status)
    if (this.isHead) return this.#last()
    await pump(this.response, pieces, { length, stalledTimeoutMs: this.#config.stalledTimeoutMs })
  }

  /** Sends a caller elsewhere, as Go's `http.Redirect` does. @param to - one character a byte */
  redirect(status: number, to: string): void {
    const location = canonicalEscapes(to)
    const { method } = this.request
    this.set('Location', location)
    if (method !== 'GET' && method !== 'HEAD') {
      this.empty(status, 0)
      return
    }
    this.set('Content-Type', 'text/html; charset=utf-8')
    if (this.isHead) this.empty(status)
    else this.text(status, `<a href="${escapeHtml(location)}">${STATUS_CODES[status]}</a>.\n\n`)
  }

  /** One line of plain text, whatever the caller would like to have. */
  line(status: number, text: string): void {
    this.set('Content-Type', 'text/plain; charset=utf-8').set('X-Content-Type-Options', 'nosniff')
    this.text(status, `${text}\n`)
  }

  /** An error in the place of an answer of which nothing has been sent. */
  error(error: unknown): void {
    this.#keep()
    const { headers = {} } = httpOf(error)
    const status = statusOf(error)
    const message = explanationOf(error)
    const told = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message
    for (const [name, value] of Object.entries(headers)) this.setText(name, value)
    if (this.#config.htmlErrors && acceptsHtml(this.request)) {
      this.varyByAccept().set('Content-Type', 'text/html')
      const path = this.#field('X-Ipfs-Path')
      this.page(status, errorPage(status, told, { target: this.request.url ?? '', path, hasNoEntry: hasCode(error, 'E_LINK_MISSING') }))
    } else this.line(status, told)
  }

  /** Ends the answer together with others. @param last - one character a byte */
  #last(last?: string): void {
    this.#end(this.response, last, 'latin1')
    watchEnd(this.response, this.#config.stalledTimeoutMs)
  }

  #field(name: string): string | undefined {
    const at = this.#indexOf(name)
    return at < 0 ? undefined : this.#fields[at + 1]
  }

  #indexOf(name: string): number {
    for (let i = 0; i < this.#fields.length; i += 2) if (this.#fields[i] === name) return i
    return -1
  }

  /** Drops what belonged to the answer that there should have been. */
  #keep(): void {
    this.#fields = this.#fields.flatMap((text, i, all) => (i % 2 === 0 && KEPT.has(text) ? [text, all[i + 1]!] : []))
  }

  #writeHead(status: number): void {
    const { headers, addsHeaders } = this.#config
    const base = addsHeaders ? headers.filter((_, i) => this.#indexOf(headers[i - (i % 2)]!) < 0) : headers
    this.response.writeHead(status, [...base, ...this.#fields])
  }
}
