import { lookup } from 'node:dns'
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { bounded } from '../../core/concurrency/index.ts'
import { goQuote } from '../../core/go/index.ts'
import { messageOf } from '../../core/index.ts'
import { isOfLocalNetwork, reachOfIp } from '../../core/multiaddr/index.ts'
import type { RetrievalSettings } from './settings.ts'

/** Redirects that are followed for one block. */
export const MAX_REDIRECTS = 3

/** Bytes of the header of an answer. */
export const MAX_HEADER_BYTES = 16_384

/** Bytes of an answer without a block that are read so that its connection can be used again. */
const MAX_UNREAD = 16_384

/** Characters of what a gateway said that a message shows. */
const MAX_SHOWN = 40

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Connections to one gateway that are kept for the next request. */
const MAX_IDLE = 4

/** What a gateway did wrong, without its name. */
export class Fault extends Error {
  /** Milliseconds for which it asks to be left alone. */
  readonly retryAfter: number | undefined

  constructor(why: string, retryAfter?: number) {
    super(why)
    this.retryAfter = retryAfter
  }
}

/** An answer that was taken as a whole, or that had no block. */
export interface Answer {
  readonly status: number
  readonly bytes?: Uint8Array
  /** Milliseconds, where the answer says when to come back. */
  readonly retryAfter?: number | undefined
}

type Bounds = Pick<RetrievalSettings, 'maxBlock' | 'answerTimeout' | 'blockTimeout'>

/**
 * Requests for blocks over HTTP: held to a size and a time, without credentials, never decompressed. What the configuration names may lie anywhere;
 * what a redirect or a caller names besides has a public address.
 */
export class BlockRequests {
  readonly #bounds: Bounds
  readonly #userAgent: string
  readonly #origins: ReadonlySet<string>
  readonly #http: HttpAgent
  readonly #https: HttpsAgent

  /** @param named - URLs that the configuration names */
  constructor(bounds: Bounds, userAgent: string, named: readonly URL[]) {
    this.#bounds = bounds
    this.#userAgent = userAgent
    this.#origins = new Set(named.map(({ origin }) => origin))
    const options = { keepAlive: true, maxFreeSockets: MAX_IDLE, scheduling: 'lifo' } as const
    this.#http = new HttpAgent(options)
    this.#https = new HttpsAgent(options)
  }

  close(): void {
    this.#http.destroy()
    this.#https.destroy()
  }

  /** @throws Fault, the reason of `signal` */
  async get(url: URL, accept: string | undefined, signal: AbortSignal): Promise<Answer> {
    const { blockTimeout } = this.#bounds
    try {
      return await bounded(
        blockTimeout,
        signal,
        () => new Fault(`the block is not here after ${blockTimeout / 1000} s`),
        inner => this.#follow(url, accept, inner)
      )
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof Fault ? error : new Fault(messageOf(error))
    }
  }

  async #follow(url: URL, accept: string | undefined, signal: AbortSignal): Promise<Answer> {
    let at = url
    for (let left = MAX_REDIRECTS; ; left--) {
      const response = await this.#ask(at, accept, signal)
      try {
        const { statusCode: status = 0, headers } = response
        if (REDIRECTS.has(status) && headers.location !== undefined) {
          if (left === 0) throw new Fault(`it redirects more than ${MAX_REDIRECTS} times`)
          at = this.#redirected(at, headers.location)
          await unread(response)
          continue
        }
        if (status === 200) return { status, bytes: await this.#block(response) }
        await unread(response)
        return { status, retryAfter: retryAfterOf(headers['retry-after']) }
      } finally {
        if (!response.complete) response.destroy()
      }
    }
  }

  /** Resolves to an answer when its header is here. That the gateway has closed a connection which was kept is no failure. */
  async #ask(url: URL, accept: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const { asked, answer } = this.#send(url, accept, signal)
    try {
      return await answer
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (!asked.reusedSocket || (code !== 'ECONNRESET' && code !== 'EPIPE')) throw error
      return this.#send(url, accept, signal, false).answer
    }
  }

  #send(
    url: URL,
    accept: string | undefined,
    signal: AbortSignal,
    keeps = true
  ): { asked: ClientRequest; answer: Promise<IncomingMessage> } {
    const { answerTimeout } = this.#bounds
    const isSecure = url.protocol === 'https:'
    const isNamed = this.#origins.has(url.origin)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (!isNamed && isIP(host) !== 0 && !isPublic(host)) throw privateAddress(host)
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const asked = (isSecure ? httpsRequest : httpRequest)(url, {
      agent: keeps && (isSecure ? this.#https : this.#http),
      // whatever the environment says of certificates
      rejectUnauthorized: true,
      headers: { 'User-Agent': this.#userAgent, 'Accept-Encoding': 'identity', ...(accept !== undefined && { Accept: accept }) },
      maxHeaderSize: MAX_HEADER_BYTES,
      lookup: isNamed ? lookup : lookupPublic,
      signal
    })
    const timer = setTimeout(() => asked.destroy(new Fault(`no answer in ${answerTimeout / 1000} s`)), answerTimeout)
    asked.on('response', response => {
      clearTimeout(timer)
      resolve(response)
    })
    // one that fails after its answer began fails its body as well
    asked.on('error', error => {
      clearTimeout(timer)
      reject(error)
    })
    asked.end()
    return { asked, answer: promise }
  }

  #redirected(from: URL, location: string): URL {
    if (!URL.canParse(location, from.href)) throw new Fault('it redirects to what is no URL')
    const to = new URL(location, from.href)
    if (to.protocol !== from.protocol) throw new Fault(`it redirects from ${from.protocol} to ${shown(to.protocol)}`)
    if (to.username !== '' || to.password !== '') throw new Fault('it redirects to a URL with credentials')
    return to
  }

  async #block(response: IncomingMessage): Promise<Uint8Array> {
    const { maxBlock } = this.#bounds
    const { 'content-encoding': encoding = 'identity', 'content-length': length } = response.headers
    if (encoding !== 'identity') throw new Fault(`it answers in ${shown(encoding)}, which nobody asked for`)
    const large = () => new Fault(`it answers with more than ${maxBlock} bytes`)
    if (Number(length) > maxBlock) throw large()
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of response as AsyncIterable<Uint8Array>) {
      size += part.length
      if (size > maxBlock) throw large()
      parts.push(part)
    }
    return Buffer.concat(parts)
  }
}

/** Reads the body of an answer that nobody wants, where it is short, so that its connection can be used again. */
async function unread(response: IncomingMessage): Promise<void> {
  if (!(Number(response.headers['content-length']) <= MAX_UNREAD)) return
  for await (const _ of response);
}

/** Finds the addresses of a name that nobody named: what is checked is what is connected to. */
const lookupPublic: LookupFunction = (host, options, answer) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return answer(error, [])
    const unsafe = found.find(({ address }) => !isPublic(address))
    if (unsafe !== undefined) return answer(privateAddress(unsafe.address), [])
    if (options.all) return answer(null, found)
    const [first] = found
    answer(null, first?.address ?? '', first?.family)
  })
}

const isPublic = (address: string) => reachOfIp(address) === 'public' && !isOfLocalNetwork(address)

const privateAddress = (address: string) => new Fault(`${address} is no public address`)

/** What a gateway said, for messages. */
const shown = (text: string) => goQuote(text.slice(0, MAX_SHOWN))

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterOf(field: string | undefined): number | undefined {
  if (field === undefined) return undefined
  if (/^\d+$/.test(field)) return Number(field) * 1000
  const date = Date.parse(field)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
