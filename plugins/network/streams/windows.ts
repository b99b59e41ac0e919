import type { MultiaddrConnection, Stream, StreamMuxer, StreamMuxerFactory } from '@libp2p/interface'
import { networkPluginErrors } from '../errors.ts'
import type { ConnectionMemory, StreamMemory } from '../limits/memory.ts'
import { takesBack } from './put-back.ts'

/** The part of a window that has to be used until the peer is told that there is room again. */
const USED = 1 / 4

/** Bytes that a piece takes besides its own where a reader collects them. */
const PIECE = 128

/** Protocols of the libraries whose streams carry one short message each way, which fits into the smallest window. */
const SHORT: ReadonlySet<string> = new Set(['/ipfs/id/1.0.0', '/ipfs/id/push/1.0.0', '/libp2p/autonat/1.0.0', '/libp2p/dcutr'])

/** A stream of the library's, as far as its window goes. */
interface Windowed extends Stream {
  readonly state: number
  readonly recvWindow: number
  readonly recvWindowCapacity: number
  maxStreamWindowSize: number
  handleData(frame: object): void
  sendWindowUpdate(): void
  abort(error: Error): void
}

/** The library's state of a stream in which there is nothing to tell the peer but that there is room. */
const ESTABLISHED = 3

/** A muxer of the library's, which makes its streams by a method of its own. */
type Making = StreamMuxer & { _newStream(...init: unknown[]): Windowed }

/**
 * A muxer that tells the peer of room for more once a part of a stream's window is used, as the reference does (go-yamux, stream.go). The library does so after
 * each message that comes: a frame of its own, to be encrypted, sent, read and decrypted, for as little as came.
 *
 * @param memory - bounds how far windows grow, and what lies unread. Default: each window grows as far as the library lets it.
 */
export function withFewUpdates(library: StreamMuxerFactory, memory?: StreamMemory): StreamMuxerFactory {
  const create = library.createStreamMuxer.bind(library)
  library.createStreamMuxer = (connection: MultiaddrConnection) => {
    const muxer = create(connection) as Making
    const make = muxer._newStream.bind(muxer)
    const ofConnection = memory?.connection(muxer)
    muxer._newStream = (...init) => {
      const stream = make(...init)
      const update = stream.sendWindowUpdate.bind(stream)
      const isUsed = () => stream.recvWindow - stream.recvWindowCapacity >= stream.recvWindow * USED
      stream.sendWindowUpdate = () => {
        if (stream.state !== ESTABLISHED || isUsed()) update()
      }
      if (memory !== undefined && ofConnection !== undefined) bound(stream, memory, ofConnection)
      return takesBack(stream)
    }
    return muxer
  }
  return library
}

/** Lets the window of a stream grow only as far as there is memory, and tears one that brings more than may lie unread. */
function bound(stream: Windowed, memory: StreamMemory, ofConnection: ConnectionMemory): void {
  const [handle, update] = [stream.handleData.bind(stream), stream.sendWindowUpdate]
  const largest = stream.maxStreamWindowSize
  let pieces = 0
  // who reads them keeps what has come out of sight
  const isShort = () => stream.protocol === '' || SHORT.has(stream.protocol)
  const hidden = () => (isShort() ? stream.recvWindow - stream.recvWindowCapacity + pieces * PIECE : 0)
  const mayGrow = () => stream.direction === 'outbound' || (memory.largestRequest(stream.protocol) ?? largest) > stream.recvWindow
  stream.handleData = frame => {
    pieces++
    handle(frame)
    if (!ofConnection.count(stream, hidden())) stream.abort(networkPluginErrors.E_UNREAD())
  }
  stream.sendWindowUpdate = () => {
    const before = stream.recvWindow
    // a first update takes the stream; those behind it would let in more than the one message
    if (stream.state === ESTABLISHED && isShort()) return
    const next = Math.min(before * 2, largest)
    const reserves = next > before && mayGrow() && ofConnection.grow(stream, next - before)
    stream.maxStreamWindowSize = reserves ? next : before
    update()
    if (reserves && stream.recvWindow === before) ofConnection.grow(stream, before - next)
  }
  stream.addEventListener('close', () => ofConnection.end(stream), { once: true })
}

/** A stream has a protocol now, by which its peer may send more. */
export function agreed(stream: object): void {
  ;(stream as Partial<Windowed>).sendWindowUpdate?.()
}
