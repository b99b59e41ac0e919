import type { Connection, Stream } from '@libp2p/interface'
import type { Registrar } from '@libp2p/interface-internal'
import type { Refusals } from '../../../core/network/index.ts'
import { networkPluginErrors } from '../errors.ts'
import type { Node } from '../libp2p/node.ts'
import type { StreamMemory } from '../limits/memory.ts'
import { watchNegotiation } from '../streams/negotiation.ts'

/** Streams that are open on one connection at a time; @chainsafe/libp2p-yamux tears further ones, and says so to nobody. */
export const MOST_STREAMS = 1_000

/** Streams of one connection beyond the limits of their protocols. */
export const MOST_EXCESS = 1_000

/** The error by which libp2p tears a stream beyond the limit of its protocol on one connection. */
const TOO_MANY = 'TooManyInboundProtocolStreamsError'

/**
 * Tells in the log of peers that open more streams than they may, or agree on no protocol for one with any number of lines, and closes the connections of
 * those that go on.
 */
export function watchExcess(
  node: Pick<Node, 'addEventListener'>,
  registrar: Pick<Registrar, 'getProtocols'>,
  memory: StreamMemory,
  refusals: Refusals
): void {
  const spoken = { has: (protocol: string) => registrar.getProtocols().includes(protocol) }
  node.addEventListener('connection:open', ({ detail: connection }) => {
    const peer = connection.remotePeer.toString()
    let excess = 0
    const drop = (why: string) => {
      refusals.tell(`the peer ${peer}`, why)
      connection.abort(new Error(why))
    }
    const { muxer } = connection as Connection & { readonly muxer?: EventTarget }
    if (muxer !== undefined) {
      memory.belongs(muxer, peer)
      connection.addEventListener('close', () => memory.over(muxer))
    }
    muxer?.addEventListener('stream', event => {
      const stream = (event as CustomEvent<Stream>).detail
      if (connection.streams.length >= MOST_STREAMS) return drop(`it has ${MOST_STREAMS} streams open`)
      if (stream.protocol === '')
        watchNegotiation(stream, spoken, () => {
          refusals.tell(`a stream of the peer ${peer}`, 'it sent what is no negotiation of a protocol')
          if (++excess === MOST_EXCESS) drop(`it has opened ${MOST_EXCESS} streams more than it may`)
          return networkPluginErrors.E_NEGOTIATION(peer)
        })
      stream.addEventListener('close', ({ error }) => {
        if ((error as { code?: unknown } | undefined)?.code === 'E_UNREAD')
          refusals.tell(`a stream of ${stream.protocol} of the peer ${peer}`, error!.message)
        if (error?.name !== TOO_MANY) return
        refusals.tell(`a stream of ${stream.protocol} of the peer ${peer}`, 'it has as many open as one connection may')
        if (++excess === MOST_EXCESS) drop(`it has opened ${MOST_EXCESS} streams more than it may`)
      })
    })
  })
}
