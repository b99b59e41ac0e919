import { type Connection, type PeerId, type Stream, UnsupportedProtocolError } from '@libp2p/interface'
import { Uint8ArrayList } from 'uint8arraylist'
import type { Node } from '../libp2p/node.ts'

/** What a muxer is asked for a stream with: the protocol where there is only one to agree on. */
interface StreamRequest {
  readonly protocol?: string
}

/** A muxer of the library's, as far as it opens streams. */
interface Opening {
  createStream(request?: StreamRequest): Promise<Stream>
}

/** A stream of the library's, as it hands out what has come. */
interface Incoming {
  onData(data: Uint8Array | Uint8ArrayList): void
}

/** The protocols that connected peers have said that they speak (identify). */
export class Spoken {
  readonly #protocols = new Map<string, ReadonlySet<string>>()

  constructor(node: Pick<Node, 'addEventListener'>) {
    const take = (peer: PeerId, protocols: readonly string[]) => void this.#protocols.set(peer.toString(), new Set(protocols))
    node.addEventListener('peer:identify', ({ detail }) => take(detail.peerId, detail.protocols))
    node.addEventListener('peer:update', ({ detail: { peer } }) => {
      if (this.#protocols.has(peer.id.toString())) take(peer.id, peer.protocols)
    })
    node.addEventListener('peer:disconnect', ({ detail }) => void this.#protocols.delete(detail.toString()))
  }

  /** Whether a peer has said so. */
  speaks(peer: PeerId, protocol: string): boolean {
    return this.#protocols.get(peer.toString())?.has(protocol) === true
  }

  /** The first of these protocols that it has said, else all of them: they have to be agreed on. */
  narrowed(peer: PeerId, protocols: readonly string[]): readonly string[] {
    const first = protocols.find(protocol => this.speaks(peer, protocol))
    return first === undefined ? protocols : [first]
  }
}

/**
 * Has streams of a protocol that the peer is known to speak begin at once: the lines of multistream-select go out with the first octets, and
 * the answer to them is read with what the peer sends. The library waits for it, a round trip for each stream.
 */
export function beginAtOnce(node: Pick<Node, 'addEventListener'>, spoken: Spoken): void {
  node.addEventListener('connection:open', ({ detail: connection }) => {
    const { muxer } = connection as Connection & { readonly muxer?: Opening }
    if (muxer === undefined) return
    const create = muxer.createStream.bind(muxer)
    muxer.createStream = async request => {
      const stream = await create(request)
      const protocol = request?.protocol
      if (protocol !== undefined && stream.protocol === '' && spoken.speaks(connection.remotePeer, protocol)) begin(stream, protocol)
      return stream
    }
  })
}

/** Agrees on a protocol while the stream is used. A peer that does not speak it after all has the stream torn. */
export function begin(stream: Stream, protocol: string): void {
  const lines = Buffer.concat(['/multistream/1.0.0', protocol].map(line))
  stream.protocol = protocol
  writeFirst(stream, lines)
  readFirst(stream, lines, () => stream.abort(new UnsupportedProtocolError(`Protocol selection failed - could not negotiate ${protocol}`)))
}

function line(text: string): Uint8Array {
  const bytes = Buffer.from(`${text}\n`)
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7]
  return Buffer.concat([Buffer.from(length), bytes])
}

/** Sends the lines before what is sent first, at the latest at the end of this turn of the event loop. */
function writeFirst(stream: Stream, lines: Uint8Array): void {
  const [send, close] = [stream.send.bind(stream), stream.close.bind(stream)]
  let isSent = false
  stream.send = data => {
    if (isSent) return send(data)
    isSent = true
    return send(new Uint8ArrayList(lines, data))
  }
  const flush = () => {
    if (isSent || stream.writeStatus !== 'writable') return
    isSent = true
    send(lines)
  }
  stream.close = options => {
    flush()
    return close(options)
  }
  setImmediate(flush)
}

/** Streams whose peer has not agreed yet, with what is called when it has. */
const waiting = new WeakMap<Stream, (() => void)[]>()

/** Calls as soon as all that comes over a stream is what its peer sends in the protocol. */
export function whenAgreed(stream: Stream, then: () => void): void {
  const others = waiting.get(stream)
  if (others === undefined) then()
  else others.push(then)
}

/** Takes the lines away from the beginning of what comes. A peer that agrees repeats them. */
function readFirst(stream: Stream, lines: Uint8Array, refused: () => void): void {
  const incoming = stream as unknown as Incoming
  const { onData } = incoming
  const came = new Uint8ArrayList()
  waiting.set(stream, [])
  incoming.onData = data => {
    const then = waiting.get(stream)
    if (then === undefined) return onData.call(incoming, data)
    came.append(data)
    const length = Math.min(came.byteLength, lines.length)
    if (Buffer.compare(came.subarray(0, length), lines.subarray(0, length)) !== 0) return refused()
    if (length < lines.length) return
    waiting.delete(stream)
    for (const call of then) call()
    came.consume(length)
    if (came.byteLength > 0) incoming.onData(came)
  }
  // an end before the answer is no end of what was asked for
  stream.addEventListener('remoteCloseWrite', () => {
    if (waiting.has(stream)) refused()
  })
}
