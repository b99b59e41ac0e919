import { lookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { goQuote } from '../../core/go/quote.ts'
import { NodeError } from '../../core/index.ts'
import { type Interfaces, isOfLocalNetwork, reachOfIp } from '../../core/multiaddr/index.ts'
import { filestoreErrors } from './errors.ts'
import type { FilestoreSettings } from './settings.ts'

/** Most redirects that are followed, as Go's client does. */
const REDIRECTS = 10

/** Whether a path is a URL in Kubo's eyes (boxo 0.19, filestore.IsURL). */
export function isUrl(path: string): boolean {
  return ['http://', 'https://'].some(start => path.startsWith(start) && path.length > start.length)
}

/** The content behind the URLs that may be referred to. */
export class Urls {
  readonly #settings: Pick<FilestoreSettings, 'hosts' | 'privateAddresses' | 'silenceMs'>
  readonly #resolve: typeof lookup
  readonly #interfaces: Interfaces

  /** @param resolve - finds the addresses of a name; default the system's way */
  constructor(
    settings: Pick<FilestoreSettings, 'hosts' | 'privateAddresses' | 'silenceMs'>,
    resolve: typeof lookup = lookup,
    interfaces: Interfaces = networkInterfaces
  ) {
    this.#settings = settings
    this.#resolve = resolve
    this.#interfaces = interfaces
  }

  /** @throws E_REFERENCE_HOST, E_REFERENCE_ADDRESS, E_REFERENCE_FILE for what is no URL */
  check(url: string): URL {
    if (!URL.canParse(url)) throw filestoreErrors.E_REFERENCE_FILE(`Get ${goQuote(url)}: it is no URL`)
    const parsed = new URL(url)
    // a redirect may lead to any
    if (!/^https?:$/.test(parsed.protocol))
      throw filestoreErrors.E_REFERENCE_FILE(`Get ${goQuote(url)}: unsupported protocol scheme ${goQuote(parsed.protocol.slice(0, -1))}`)
    const host = parsed.hostname.replace(/^\[|\]$/g, '')
    if (!this.#settings.hosts.some(pattern => matches(host, pattern.toLowerCase()))) throw filestoreErrors.E_REFERENCE_HOST(url, host)
    if (isIP(host) !== 0) this.#checkAddress(url, host)
    return parsed
  }

  /** Exactly `size` bytes from `offset` on. @throws E_REFERENCE_STATUS, E_REFERENCE_SHORT, and what `open` does */
  async read(url: string, offset: number, size: number, signal?: AbortSignal): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(size)
    if (size === 0) return bytes
    let read = 0
    for await (const piece of this.open(url, { signal, range: `bytes=${offset}-${offset + size - 1}` })) {
      const part = piece.subarray(0, size - read)
      bytes.set(part, read)
      read += part.length
      if (read === size) return bytes
    }
    throw filestoreErrors.E_REFERENCE_SHORT(read === 0)
  }

  /** The body of an answer. Redirects are held to the same rules. @throws E_REFERENCE_… */
  async *open(url: string, { signal, range }: { signal?: AbortSignal | undefined; range?: string } = {}): AsyncGenerator<Uint8Array> {
    let at = url
    for (let left = REDIRECTS; ; left--) {
      const answer = await this.#get(at, range, signal)
      try {
        const { statusCode: status = 0, headers } = answer
        if (status >= 300 && status < 400 && headers.location !== undefined) {
          if (left === 0) throw filestoreErrors.E_REFERENCE_REDIRECTS(url, REDIRECTS)
          at = new URL(headers.location, at).href
          continue
        }
        if (status !== 200 && status !== 206) throw filestoreErrors.E_REFERENCE_STATUS(status)
        yield* this.#bodyOf(answer, at, signal)
        return
      } finally {
        answer.destroy()
      }
    }
  }

  async *#bodyOf(answer: IncomingMessage, url: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of answer) yield piece as Buffer
    } catch (error) {
      signal?.throwIfAborted()
      // a body that ends before its length is one that is too short
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') throw filestoreErrors.E_REFERENCE_SHORT(false)
      throw failed(url, error as Error)
    }
  }

  #get(url: string, range: string | undefined, signal: AbortSignal | undefined): Promise<IncomingMessage> {
    const parsed = this.check(url)
    const request = parsed.protocol === 'https:' ? httpsRequest : httpRequest
    const headers = { 'Accept-Encoding': 'identity', ...(range !== undefined && { Range: range }) }
    return new Promise((answered, refused) => {
      const asked = request(parsed, { agent: false, headers, lookup: this.#lookup(url), signal, timeout: this.#settings.silenceMs })
      asked.on('timeout', () => asked.destroy(filestoreErrors.E_REFERENCE_SILENT(url, this.#settings.silenceMs)))
      asked.on('error', error => refused(signal?.aborted ? signal.reason : failed(url, error)))
      asked.on('response', answered)
      asked.end()
    })
  }

  /** The resolver of names, which hands on no address that may not be asked: what is checked is what is connected to. */
  #lookup(url: string): LookupFunction {
    return (host, options, answer) => {
      this.#resolve(host, { ...options, all: true }, (error, found) => {
        if (error !== null) return answer(error, [])
        try {
          for (const { address } of found) this.#checkAddress(url, address)
        } catch (refusal) {
          return answer(refusal as Error, [])
        }
        if (options.all) return answer(null, found)
        answer(null, found[0]!.address, found[0]!.family)
      })
    }
  }

  #checkAddress(url: string, address: string): void {
    if (this.#settings.privateAddresses) return
    if (reachOfIp(address) !== 'public' || isOfLocalNetwork(address, this.#interfaces))
      throw filestoreErrors.E_REFERENCE_ADDRESS(url, address)
  }
}

function matches(host: string, pattern: string): boolean {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}

/** The error of a request, in the words of Go's client where it has one of the usual reasons. */
function failed(url: string, error: Error & { code?: string; address?: string; port?: number }): Error {
  if (error instanceof NodeError) return error
  const { code, address, port } = error
  const at = address?.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  const why =
    code === 'ECONNREFUSED'
      ? `dial tcp ${at}: connect: connection refused`
      : code === 'ENOTFOUND'
        ? `dial tcp: lookup ${new URL(url).hostname}: no such host`
        : error.message
  return filestoreErrors.E_REFERENCE_FILE(`Get ${goQuote(url)}: ${why}`)
}
