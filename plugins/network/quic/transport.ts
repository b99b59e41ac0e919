import type { QuicComponents } from '@chainsafe/libp2p-quic'
import type { Transport, Upgrader } from '@libp2p/interface'
import { messageOf } from '../../../core/index.ts'
import type { StreamMemory } from '../limits/memory.ts'
import { type Pacing, pacedMuxers } from './pacing.ts'

/** How long a connection without a sign of life is kept, and how often this node gives one, in milliseconds. */
const [IDLE, SIGN] = [30_000, 15_000]

/** A transport as libp2p takes it. */
export type MakeTransport = (components: QuicComponents) => Transport

/**
 * QUIC by the library's binary, its streams read no faster than they are used.
 *
 * @param handshakeTimeout - milliseconds
 * @returns why there is none on this machine, as text, where the binary cannot be loaded
 */
export async function quicTransport(handshakeTimeout: number, memory: StreamMemory): Promise<MakeTransport | string> {
  const library = await import('@chainsafe/libp2p-quic').catch((error: unknown) => messageOf(error))
  if (typeof library === 'string') return `no binary of it for ${process.platform}-${process.arch}: ${library.split('\n', 1)[0]}`
  const make = library.quic({ handshakeTimeout, maxIdleTimeout: IDLE, keepAliveInterval: SIGN })
  return components => paced(make(components), memory)
}

/** The transport itself: what it hands to libp2p's upgrader has streams that keep pace. */
function paced(transport: Transport, memory: StreamMemory): Transport {
  const { dial, createListener } = transport
  transport.dial = (address, options) => dial.call(transport, address, { ...options, upgrader: pacedUpgrader(options.upgrader, memory) })
  transport.createListener = options => createListener.call(transport, { ...options, upgrader: pacedUpgrader(options.upgrader, memory) })
  return transport
}

function pacedUpgrader(upgrader: Upgrader, memory: StreamMemory): Upgrader {
  const made: Upgrader = Object.create(upgrader)
  const withPace = <O extends object>(options: O): O => ({
    ...options,
    muxerFactory: pacedMuxers((options as Pacing).muxerFactory, memory)
  })
  made.upgradeInbound = (connection, options) => upgrader.upgradeInbound(connection, withPace(options))
  made.upgradeOutbound = (connection, options) => upgrader.upgradeOutbound(connection, withPace(options))
  return made
}
