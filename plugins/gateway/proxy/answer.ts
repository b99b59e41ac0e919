import { type ClientRequest, type IncomingMessage, request as open } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { messageOf, type Network } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { gatewayErrors } from '../errors.ts'
import type { Reply } from '../reply/reply.ts'
import type { Target } from '../request/target.ts'
import type { GatewaySettings } from '../settings.ts'
import { handedOn } from './fields.ts'
import { PeerSocket } from './stream.ts'

const PATH = /^\/p2p\/([^/]+)((?:\/x\/[^/]+)?\/http)(\/.*)$/

/** How long a peer may take to end its stream behind a whole answer, in milliseconds. */
const ENDING = 5_000

export interface ProxyParts {
  /** Absent on a node that runs offline: no peer is reached then. */
  readonly network: Network | undefined
  readonly settings: Pick<GatewaySettings, 'retrievalTimeoutMs' | 'requestTimeoutMs'>
}

/**
 * Hands a request on to a peer that serves HTTP over streams (Kubo 0.28, core/corehttp/p2p_proxy.go): `/p2p/PEER/http/PATH` by the protocol
 * `/http`, `/p2p/PEER/x/NAME/http/PATH` by `/x/NAME/http`. A body that breaks off, on either side, breaks the other off.
 *
 * @throws E_GATEWAY_PEER, E_GATEWAY_PEER_LATE
 */
export async function answerByPeer(
  { path, rawPath, rawQuery }: Target,
  reply: Reply,
  signal: AbortSignal,
  parts: ProxyParts
): Promise<void> {
  const { network, settings } = parts
  const [, text, protocol, pathAfter] = PATH.exec(rawPath) ?? []
  const peer = text === undefined ? undefined : peerOf(text)
  // as text for browsers, too
  if (peer === undefined || protocol === undefined) return reply.line(400, gatewayErrors.E_GATEWAY_P2P_PATH(path).message)
  const time = new Time(settings, signal)
  let socket: PeerSocket | undefined
  try {
    socket = await reach(peer, protocol, time.signal, network)
    const asked = `${pathAfter}${rawQuery === '' ? '' : `?${rawQuery}`}`
    const answer = await exchange(reply.request, socket, { path: asked, peer, time })
    time.begun()
    await relay(answer, reply)
    leave(socket)
  } catch (error) {
    socket?.destroy()
    signal.throwIfAborted()
    if (time.signal.aborted) throw gatewayErrors.E_GATEWAY_PEER_LATE(peer)
    throw gatewayErrors.E_GATEWAY_PEER(peer, messageOf(error))
  } finally {
    time.release()
  }
}

/** How long a peer may take to begin its answer, once it has the request, and to end it; fires also when the caller is gone. */
class Time {
  readonly signal: AbortSignal
  readonly #late = new AbortController()
  readonly #whole: number
  #timer: NodeJS.Timeout | undefined
  readonly moved = () => void this.#timer?.refresh()

  constructor({ retrievalTimeoutMs, requestTimeoutMs }: ProxyParts['settings'], caller: AbortSignal) {
    this.signal = AbortSignal.any([caller, this.#late.signal])
    this.#whole = requestTimeoutMs
    this.#set(retrievalTimeoutMs)
  }

  begun(): void {
    this.#set(this.#whole)
  }

  release(): void {
    clearTimeout(this.#timer)
  }

  #set(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = milliseconds === 0 ? undefined : setTimeout(() => this.#late.abort(), milliseconds)
  }
}

async function reach(peer: string, protocol: string, signal: AbortSignal, network: Network | undefined): Promise<PeerSocket> {
  if (network === undefined) throw new Error('this node runs offline')
  return new PeerSocket(await network.open(peer, protocol, { signal }))
}

/** Sends a request over a connection. @returns what answers it, which may begin before all is sent */
async function exchange(
  asked: IncomingMessage,
  socket: PeerSocket,
  { path, peer, time }: { readonly path: string; readonly peer: string; readonly time: Time }
): Promise<IncomingMessage> {
  const outgoing = open({ createConnection: () => socket, method: asked.method, path, signal: time.signal, setHost: false })
  for (const [name, value] of handedOn(asked.rawHeaders, asked.headers)) outgoing.appendHeader(name, value)
  const { 'content-length': length, 'transfer-encoding': coding } = asked.headers
  outgoing.setHeader('Host', peer).setHeader('Connection', 'close')
  if (length !== undefined) outgoing.setHeader('Content-Length', length)
  // by itself Node frames no body of GET, DELETE or OPTIONS: the peer would take it as another request
  else if (coding !== undefined) outgoing.setHeader('Transfer-Encoding', 'chunked')
  const answered = Promise.withResolvers<IncomingMessage>()
  outgoing.once('response', answered.resolve).on('error', answered.reject)
  outgoing.once('upgrade', () => answered.reject(new Error('it changes to another protocol')))
  if (length === undefined && coding === undefined) outgoing.end()
  else send(asked, outgoing, time)
  return answered.promise
}

/** A peer may answer before it has read all; where the body of the caller breaks off, the peer's request does. */
function send(asked: IncomingMessage, outgoing: ClientRequest, { moved }: Time): void {
  asked.on('data', moved)
  pipeline(asked, outgoing).catch(error => outgoing.destroy(error))
}

async function relay(answer: IncomingMessage, reply: Reply): Promise<void> {
  const { statusCode = 502, rawHeaders, headers } = answer
  for (const [name, value] of handedOn(rawHeaders, headers)) reply.add(name, value)
  const length = headers['content-length'] === undefined ? undefined : BigInt(headers['content-length'])
  if (reply.isHead || statusCode === 204 || statusCode === 304) {
    answer.resume()
    return reply.empty(statusCode, length)
  }
  return reply.flow(statusCode, answer, length)
}

/** Waits for the peer to end its stream, and tears it where it does not. */
function leave(socket: PeerSocket): void {
  const timer = setTimeout(() => socket.destroy(), ENDING)
  socket
    .once('close', () => clearTimeout(timer))
    .resume()
    .end()
  socket.on('error', () => {})
}

function peerOf(text: string): string | undefined {
  try {
    return peerIdString(parsePeerId(text))
  } catch {
    return undefined
  }
}
