import type { MultiaddrConnection, Stream, StreamMuxer, StreamMuxerFactory } from '@libp2p/interface'
import { takesBack } from './put-back.ts'

/** The part of a window that has to be used until the peer is told that there is room again. */
const USED = 1 / 4

/** A stream of the library's, as far as its window goes. */
interface Windowed extends Stream {
  readonly state: number
  readonly recvWindow: number
  readonly recvWindowCapacity: number
  sendWindowUpdate(): void
}

/** The library's state of a stream in which there is nothing to tell the peer but that there is room. */
const ESTABLISHED = 3

/** A muxer of the library's, which makes its streams by a method of its own. */
type Making = StreamMuxer & { _newStream(...init: unknown[]): Windowed }

/**
 * A muxer that tells the peer of room for more once a part of a stream's window is used, as the reference does (go-yamux, stream.go). The library does so after
 * each message that comes: a frame of its own, to be encrypted, sent, read and decrypted, for as little as came.
 */
export function withFewUpdates(library: StreamMuxerFactory): StreamMuxerFactory {
  const create = library.createStreamMuxer.bind(library)
  library.createStreamMuxer = (connection: MultiaddrConnection) => {
    const muxer = create(connection) as Making
    const make = muxer._newStream.bind(muxer)
    muxer._newStream = (...init) => {
      const stream = make(...init)
      const update = stream.sendWindowUpdate.bind(stream)
      stream.sendWindowUpdate = () => {
        const { state, recvWindow, recvWindowCapacity } = stream
        if (state !== ESTABLISHED || recvWindow - recvWindowCapacity >= recvWindow * USED) update()
      }
      return takesBack(stream)
    }
    return muxer
  }
  return library
}
