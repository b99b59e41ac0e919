import type { Stream } from '@libp2p/interface'

/**
 * Makes a stream take back what was read of it together with the lines of its protocol, although the peer has ended it meanwhile. The library closes such
 * a stream for reading as soon as its buffer was passed to whoever agrees on the protocol, and then refuses what that one gives back.
 */
export function takesBack<S extends Pick<Stream, 'unshift' | 'status' | 'readStatus' | 'remoteWriteStatus'>>(stream: S): S {
  const unshift = stream.unshift.bind(stream)
  stream.unshift = data => {
    if (stream.status === 'open' && stream.readStatus === 'closed' && stream.remoteWriteStatus === 'closed') stream.readStatus = 'readable'
    unshift(data)
  }
  return stream
}

/**
 * Whether nothing more comes of a stream. The library says `readableEnded` while octets that were put back still wait: `end` was told when its buffer was
 * empty for a moment, and is told once.
 */
export const hasEnded = ({ readableEnded, readBufferLength }: Pick<Stream, 'readableEnded' | 'readBufferLength'>): boolean =>
  readableEnded && readBufferLength === 0
