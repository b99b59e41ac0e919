import type { ScopeLimits } from '../../../core/index.ts'

const MiB = 2 ** 20

/** Limits of a service or protocol with no memory at all, and what each GiB adds. */
interface Growing {
  readonly streams: readonly [inbound: number, outbound: number, both: number]
  readonly memory: number
  readonly more: { readonly streams: readonly [inbound: number, outbound: number, both: number]; readonly memory: number }
}

const same = (streams: Growing['streams'], memory: number): Growing => ({ streams, memory, more: { streams, memory } })

const IDENTIFY = same([64, 64, 128], 4 * MiB)
const PING = same([64, 64, 64], 4 * MiB)
const AUTONAT: Growing = { streams: [64, 64, 64], memory: 4 * MiB, more: { streams: [4, 4, 4], memory: 2 * MiB } }
const HOLE_PUNCH: Growing = { streams: [32, 32, 64], memory: 4 * MiB, more: { streams: [8, 8, 16], memory: 4 * MiB } }
const RELAY = same([256, 256, 256], 16 * MiB)
const RELAY_PROTOCOL = same([640, 640, 640], 16 * MiB)

/** Limits by the name of the service (go-libp2p 0.33, limits.go). */
export const SERVICES: Readonly<Record<string, Growing>> = {
  'libp2p.autonat': AUTONAT,
  'libp2p.holepunch': HOLE_PUNCH,
  'libp2p.identify': IDENTIFY,
  'libp2p.ping': PING,
  'libp2p.relay/v2': RELAY
}

/** Limits by protocol. */
export const PROTOCOLS: Readonly<Record<string, Growing>> = {
  '/ipfs/id/1.0.0': IDENTIFY,
  '/ipfs/id/push/1.0.0': IDENTIFY,
  '/ipfs/ping/1.0.0': PING,
  '/libp2p/autonat/1.0.0': AUTONAT,
  '/libp2p/autonat/2/dial-back': AUTONAT,
  '/libp2p/autonat/2/dial-request': AUTONAT,
  '/libp2p/circuit/relay/0.2.0/hop': RELAY_PROTOCOL,
  '/libp2p/circuit/relay/0.2.0/stop': RELAY_PROTOCOL,
  '/libp2p/dcutr': HOLE_PUNCH
}

/** The protocols that a service speaks. */
export const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  'libp2p.autonat': ['/libp2p/autonat/1.0.0', '/libp2p/autonat/2/dial-back', '/libp2p/autonat/2/dial-request'],
  'libp2p.holepunch': ['/libp2p/dcutr'],
  'libp2p.identify': ['/ipfs/id/1.0.0', '/ipfs/id/push/1.0.0'],
  'libp2p.ping': ['/ipfs/ping/1.0.0'],
  'libp2p.relay/v2': ['/libp2p/circuit/relay/0.2.0/hop', '/libp2p/circuit/relay/0.2.0/stop']
}

/** Limits for a node that may take so much memory, in whole MiB. Services and protocols open no connections themselves. */
export function grown({ streams, memory, more }: Growing, memoryMiB: number): ScopeLimits {
  const factor = memoryMiB / 1024
  const count = (i: 0 | 1 | 2) => streams[i] + Math.floor(more.streams[i] * factor)
  return {
    memory: memory + Math.floor(more.memory * factor),
    fd: 0,
    conns: 0,
    connsInbound: 0,
    connsOutbound: 0,
    streams: count(2),
    streamsInbound: count(0),
    streamsOutbound: count(1)
  }
}

/** Limits of the whole node, and of connections that are not agreed on yet (Kubo 0.28, core/node/libp2p/rcmgr_defaults.go). */
export function wholeLimits(
  memory: number,
  fd: number,
  highWater: number
): { readonly system: ScopeLimits; readonly transient: ScopeLimits } {
  const memoryMiB = Math.floor(memory / MiB)
  return {
    system: { memory, fd, connsInbound: Math.max(memoryMiB, 2 * highWater, 800) },
    transient: { memory: Math.floor(memory / 4), fd: Math.floor(fd / 4), connsInbound: Math.floor(memoryMiB / 4) }
  }
}

/** Limits of one peer: only what it opens is limited (go-libp2p 0.33, p2p/host/resource-manager/limit_defaults.go). */
export function peerLimits(memoryMiB: number): ScopeLimits {
  return { connsInbound: 8, streamsInbound: 256 + Math.floor((128 * memoryMiB) / 1024) }
}
