import type { Connection, Stream } from '@libp2p/interface'
import { type HandleOptions, type Logger, messageOf, networkErrors, type OpenOptions, type PeerStream } from '../../../core/index.ts'
import { bounded } from '../../../core/timing.ts'
import type { Foundation } from '../libp2p/foundation.ts'
import type { Spoken } from './optimistic.ts'
import { Libp2pStream } from './stream.ts'

/** Inbound streams of a protocol on one connection at a time, where its handler says nothing. */
const MOST_INBOUND = 32

/** Outbound ones, which libp2p counts by what the handler says where there is one. */
const MOST_OUTBOUND = 64

export type StreamHandler = (stream: PeerStream) => Promise<void> | void

/** A stream of the first of the protocols that the peer speaks. @throws E_PROTOCOL, E_STREAM */
export async function openStream(
  connection: Connection,
  protocols: readonly string[],
  { timeout, spoken }: { readonly timeout: number; readonly spoken: Spoken },
  { signal, maxOutbound }: OpenOptions
): Promise<PeerStream> {
  const peer = connection.remotePeer.toString()
  const late = () => networkErrors.E_STREAM(peer, protocols.join(', '), 'the peer does not answer')
  try {
    const stream = await bounded(timeout, signal, late, inner =>
      connection.newStream([...spoken.narrowed(connection.remotePeer, protocols)], {
        signal: inner,
        runOnLimitedConnection: true,
        maxOutboundStreams: maxOutbound
      })
    )
    return new Libp2pStream(stream, peer)
  } catch (error) {
    signal?.throwIfAborted()
    if ((error as Error).name === 'UnsupportedProtocolError') throw networkErrors.E_PROTOCOL(peer, protocols)
    throw networkErrors.E_STREAM(peer, protocols.join(', '), messageOf(error))
  }
}

/** Serves a protocol. @throws E_PROTOCOL_SERVED. @returns what ends it */
export async function serveStreams(
  { node, unannounced, limits }: Pick<Foundation, 'node' | 'unannounced' | 'limits'>,
  protocol: string,
  handler: StreamHandler,
  { maxInbound = MOST_INBOUND, onLimited = false, maxRequest, announced = true }: HandleOptions,
  log: Logger
): Promise<() => Promise<void>> {
  const serve = (stream: Stream, connection: Connection) =>
    void serveOne(new Libp2pStream(stream, connection.remotePeer.toString()), handler, log)
  if (node.getProtocols().includes(protocol)) throw networkErrors.E_PROTOCOL_SERVED(protocol)
  if (maxRequest !== undefined) limits.memory.requests(protocol, maxRequest)
  const maxOutboundStreams = Math.max(maxInbound, MOST_OUTBOUND)
  const options = { maxInboundStreams: maxInbound, maxOutboundStreams, runOnLimitedConnection: onLimited }
  if (!announced) return unannounced.serve(protocol, serve, options)
  await node.handle(protocol, serve, options)
  return () => node.unhandle(protocol)
}

async function serveOne(stream: Libp2pStream, handler: StreamHandler, log: Logger): Promise<void> {
  try {
    await handler(stream)
    await stream.end()
    await stream.leave()
  } catch (error) {
    log.debug(`a stream of ${stream.protocol} with ${stream.peer} was given up: ${messageOf(error)}`)
    stream.abort(error instanceof Error ? error : undefined)
  }
}
