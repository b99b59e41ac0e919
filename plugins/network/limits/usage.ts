import type { Connection, Stream } from '@libp2p/interface'
import type { Scope } from '../../../core/index.ts'
import { isRelayed } from '../addresses/addresses.ts'
import { unreadOf, windowOf } from './memory.ts'

export type Usage = Scope['usage']

export function noUsage(): Usage {
  return { memory: 0, fd: 0, conns: 0, connsInbound: 0, connsOutbound: 0, streams: 0, streamsInbound: 0, streamsOutbound: 0 }
}

/** The use of connections, and of those of their streams that count: memory is what lies unread of them or waits to be sent, and what their windows have grown by. */
export function usageOf(connections: readonly Connection[], counts: (stream: Stream) => boolean = () => true): Usage {
  const sum = { ...noUsage() } as { -readonly [K in keyof Usage]: Usage[K] }
  for (const { direction, remoteAddr, streams } of connections) {
    sum.conns++
    sum[direction === 'inbound' ? 'connsInbound' : 'connsOutbound']++
    if (!isRelayed(remoteAddr.toString())) sum.fd++
    for (const stream of streams) {
      if (!counts(stream)) continue
      sum.streams++
      sum[stream.direction === 'inbound' ? 'streamsInbound' : 'streamsOutbound']++
      sum.memory += unreadOf(stream) + windowOf(stream) + stream.writeBufferLength
    }
  }
  return sum
}
