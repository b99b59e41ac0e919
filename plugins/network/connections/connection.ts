import type { Connection } from '@libp2p/interface'
import type { PeerConnection } from '../../../core/index.ts'
import { withoutPeer } from '../addresses/addresses.ts'

/** A connection of libp2p as the contract has it. */
export function connectionOf(connection: Connection): PeerConnection {
  const { id, remotePeer, remoteAddr, direction, limits, timeline } = connection
  return {
    id,
    peer: remotePeer.toString(),
    address: withoutPeer(remoteAddr.toString()),
    direction,
    limited: limits !== undefined,
    bytesLeft: limits?.bytes === undefined ? undefined : Number(limits.bytes),
    openedAt: new Date(timeline.open),
    protocols: () => connection.streams.map(({ protocol }) => protocol),
    close: () => connection.close(),
    abort: error => connection.abort(error)
  }
}
