import { defineErrors } from '../../core/index.ts'

/** Texts: Kubo 0.28, core/commands/p2p.go and p2p/*.go; go-multiaddr 0.12, net/convert.go; Go's net. Those from E_P2P_MANY on are this node's own. */
export const p2pErrors = defineErrors({
  E_P2P_OFF: { message: () => 'libp2p stream mounting not enabled' },
  E_P2P_PROTOCOL: { message: () => "protocol name must be within '/x/' namespace" },
  E_P2P_REGISTERED: { message: () => 'listener already registered' },
  E_P2P_NO_PORT: { message: () => 'address does not contain tcp or udp protocol' },
  E_P2P_PORT_0: { message: () => 'port can not be 0' },
  E_P2P_ADDRESS: { message: (address: string) => `${address} is not a 'thin waist' address` },
  E_P2P_LISTEN: { message: (address: string, why: string) => `listen ${address}: ${why}` },
  E_P2P_UNRESOLVED: { message: (address: string) => `fail to resolve the multiaddr:${address}` },
  E_P2P_AMBIGUOUS: {
    message: (address: string, first: string, second: string) => `ambiguous multiaddr ${address} could refer to ${first} or ${second}`
  },
  E_P2P_CLOSE_NOTHING: { message: () => 'no matching options given' },
  E_P2P_CLOSE_ALL: { message: () => "can't combine --all with other matching options" },
  E_P2P_NO_STREAM: { message: () => 'no id specified' },
  E_P2P_MANY: {
    wire: 'client',
    message: (most: number) => `this node forwards ${most} services already, the most that plugins.p2p.maxServices allows`
  },
  E_P2P_MANY_STREAMS: { message: (most: number) => `${most} streams are open, the most that plugins.p2p.maxStreams allows` },
  E_P2P_MANY_OF_PEER: {
    message: (peer: string, most: number) => `${most} streams of ${peer} are open, seven eighths of what plugins.p2p.maxStreams allows`
  },
  E_P2P_TARGET: { message: (address: string, why: string) => `${address} does not answer: ${why}` }
})
