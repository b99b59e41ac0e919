import { defineErrors } from '../../core/index.ts'

/** Texts that the reference has: Kubo 0.28, core/commands/swarm.go, core/node/libp2p; Go's net.ParseCIDR. */
export const networkPluginErrors = defineErrors({
  E_LISTEN: {
    message: (addresses: readonly string[], why: string) => `failed to listen on any addresses: ${addresses.join(', ')}: ${why}`
  },
  E_NO_SECURITY: { message: () => 'Swarm.Transports.Security: TLS and Noise are both off, and peers are talked to by neither' },
  E_KEY_NEEDS: { message: (key: string, needed: string) => `${key} is true, and needs ${needed}, which is false` },
  E_NO_TRANSPORT: { message: () => 'Swarm.Transports.Network: TCP, Websocket and QUIC are off, and this node has no other transport' },
  E_CONN_MANAGER_TYPE: { message: (type: string) => `unrecognized Swarm.ConnMgr.Type: ${JSON.stringify(type)}` },
  E_LIMIT_TOO_LOW: {
    message: (name: string, limit: number, highWater: number) =>
      `Swarm.ResourceMgr: the limit System.${name} (${limit}) must be above Swarm.ConnMgr.HighWater (${highWater})`
  },
  E_UNREAD: { message: () => 'more of its streams lies unread than Swarm.ResourceMgr.MaxMemory allows' },
  E_LIMITS_FILE: { message: (file: string, why: string) => `cannot use ${file}: ${why}` },
  E_SWARM_KEY: { message: (file: string, why: string) => `cannot use ${file}: ${why}` },
  E_PRIVATE_NETWORK_FORCED: {
    message: (file: string) => `LIBP2P_FORCE_PNET is set, and there is no swarm key: this node needs the file ${file}`
  },
  E_PRIVATE_NETWORK_TRANSPORT: { message: (name: string) => `Swarm.Transports.Network.${name} cannot be on in a private network` },
  E_CERTIFICATE: { message: (file: string, why: string) => `plugins.network.wss: cannot use ${file}: ${why}` },
  E_NEGOTIATION: { message: (address: string) => `${address} sent what is no negotiation of a protocol` },
  E_MUXER_PREFERENCE: { message: () => 'LIBP2P_MUX_PREFS is set, and gone: Swarm.Transports.Multiplexers says which multiplexer is used' },
  E_REUSEPORT: { message: () => 'IPFS_REUSEPORT is set, and gone: ports that others listen on are never shared' },
  E_REACHABILITY: { message: (said: string) => `Internal.Libp2pForceReachability: unrecognized reachability option: ${said}` },
  E_PEER_OF_CONFIG: { message: (key: string, text: string, why: string) => `${key}: '${text}': ${why}` }
})
