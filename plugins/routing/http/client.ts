import { cidToString } from '../../../core/cid/index.ts'
import { trimRight } from '../../../core/go/index.ts'
import {
  type CID,
  type CountOptions,
  messageOf,
  type RoutedPeer,
  type Router,
  type RoutingEvent,
  type RoutingOptions
} from '../../../core/index.ts'
import { formatPeerId, parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { reachOf } from '../../../core/multiaddr/index.ts'
import { withinTime } from '../../../core/network/index.ts'
import { checkValue, keyParts, MAX_VALUE } from '../dht/records/validators.ts'
import { routingPluginErrors } from '../errors.ts'
import { withoutPeer } from '../libraries.ts'
import { lines } from './lines.ts'

const JSON_TYPES = 'application/x-ndjson, application/json'
const RECORD_TYPE = 'application/vnd.ipfs.ipns-record'

/** Addresses of a peer that are taken of an answer. */
const MOST_ADDRESSES = 64

interface HttpRouterParts {
  readonly endpoint: string
  readonly agent: string
  /** Milliseconds. */
  readonly timeout: number
  readonly maxBytes: number
  /** The `fetch` that is used. Default: that of the platform. */
  readonly fetch?: typeof fetch
}

interface Peer {
  readonly ID?: unknown
  readonly Addrs?: unknown
}

/** A delegated router (IPFS specification, Delegated Routing V1 HTTP API). What it answers is checked, and taken up to a size and a time. */
export class HttpRouter implements Router {
  readonly name: string
  readonly #parts: HttpRouterParts

  constructor(parts: HttpRouterParts) {
    this.#parts = parts
    this.name = parts.endpoint
  }

  async *findProviders(cid: CID, { signal, count = Number.POSITIVE_INFINITY }: CountOptions = {}): AsyncGenerator<RoutingEvent> {
    const seen = new Set<string>()
    for await (const peer of this.#peers(`providers/${cidToString(cid)}`, signal)) {
      if (seen.has(peer.id)) continue
      seen.add(peer.id)
      yield { type: 'provider', provider: peer }
      if (seen.size >= count) return
    }
  }

  async *findPeer(peer: string, { signal }: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    for await (const found of this.#peers(`peers/${formatPeerId(parsePeerId(peer), 'base36')}`, signal)) {
      if (found.id !== peer || found.addresses.length === 0) continue
      yield { type: 'peer', found }
      return
    }
  }

  async *getValue(key: Uint8Array, { signal }: CountOptions = {}): AsyncGenerator<RoutingEvent> {
    const { space, multihash } = keyParts(key)
    if (space !== 'ipns') return
    yield* this.#within(signal, async function* (this: HttpRouter, inner) {
      const response = await this.#ask(`ipns/${formatPeerId(multihash, 'base36')}`, inner, { headers: { accept: RECORD_TYPE } })
      if (response === undefined) return
      const parts: Uint8Array[] = []
      for await (const part of this.#body(response, MAX_VALUE)) parts.push(part)
      const value = Buffer.concat(parts)
      await checkValue(key, value)
      yield { type: 'value', value }
    })
  }

  async *putValue(key: Uint8Array, value: Uint8Array, { signal }: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    const { space, multihash } = keyParts(key)
    if (space !== 'ipns') return
    yield* this.#within(signal, async function* (this: HttpRouter, inner) {
      const init = { method: 'PUT', headers: { 'content-type': RECORD_TYPE }, body: Buffer.from(value) }
      const response = await this.#ask(`ipns/${formatPeerId(multihash, 'base36')}`, inner, init)
      await response?.body?.cancel()
      if (response !== undefined) yield { type: 'value', value }
    })
  }

  /** Peers of an answer: lines of JSON, or one object that has them all. */
  #peers(path: string, signal: AbortSignal | undefined): AsyncGenerator<RoutedPeer> {
    return this.#within(signal, async function* (this: HttpRouter, inner): AsyncGenerator<RoutedPeer> {
      const response = await this.#ask(path, inner, { headers: { accept: JSON_TYPES } })
      if (response === undefined) return
      const isStream = response.headers.get('content-type')?.startsWith('application/x-ndjson') ?? false
      const body = this.#body(response, this.#parts.maxBytes)
      for await (const text of isStream ? lines(body) : whole(body)) {
        const found = this.#parse(text)
        const all = isStream ? [found] : ((found as { Providers?: Peer[] }).Providers ?? (found as { Peers?: Peer[] }).Peers ?? [])
        for (const one of Array.isArray(all) ? all : []) {
          const peer = peerOf(one as Peer)
          if (peer !== undefined) yield peer
        }
      }
    })
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text) ?? {}
    } catch (error) {
      throw this.#failure(`its answer is no JSON: ${messageOf(error)}`)
    }
  }

  async *#within<T>(signal: AbortSignal | undefined, run: (this: HttpRouter, signal: AbortSignal) => AsyncGenerator<T>): AsyncGenerator<T> {
    yield* withinTime(this.#parts.timeout, signal, inner => run.call(this, inner))
  }

  /** @returns undefined where there is nothing @throws E_HTTP_ROUTER */
  async #ask(path: string, signal: AbortSignal, init: RequestInit): Promise<Response | undefined> {
    const { endpoint, agent, fetch: ask = fetch } = this.#parts
    const url = `${trimRight(endpoint, '/')}/routing/v1/${path}`
    const headers = { ...(init.headers as Record<string, string>), 'user-agent': agent }
    let response: Response
    try {
      response = await ask(url, { ...init, headers, signal })
    } catch (error) {
      signal.throwIfAborted()
      throw this.#failure(messageOf((error as Error).cause ?? error))
    }
    if (response.ok) return response
    await response.body?.cancel()
    if (response.status === 404) return undefined
    throw this.#failure(`it answers ${response.status}`)
  }

  async *#body(response: Response, most: number): AsyncGenerator<Uint8Array> {
    let size = 0
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > most) throw this.#failure(`it answers with more than ${most} bytes`)
      yield part
    }
  }

  #failure(why: string): Error {
    return routingPluginErrors.E_HTTP_ROUTER(this.#parts.endpoint, why)
  }
}

async function* whole(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  yield Buffer.concat(parts).toString()
}

/** A peer of an answer, where it is one. */
function peerOf(value: Peer): RoutedPeer | undefined {
  if (typeof value !== 'object' || value === null || typeof value.ID !== 'string') return undefined
  try {
    const said = Array.isArray(value.Addrs) ? value.Addrs : []
    const addresses = said.filter(address => typeof address === 'string').map(withoutPeer)
    const usable = addresses.filter(address => reachOf(address) !== 'none').slice(0, MOST_ADDRESSES)
    return { id: peerIdString(parsePeerId(value.ID)), addresses: usable }
  } catch {
    return undefined
  }
}
