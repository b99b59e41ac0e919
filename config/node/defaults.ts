import type { Json } from '../../core/index.ts'
import { type JsonObject } from './objects.ts'

/** Peers that a new node asks first (Kubo 0.28, config/bootstrap_peers.go). */
export const bootstrapPeers: readonly string[] = [
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmQCU2EcMqAqQPR2i9bChDtGNJchTbq5TbXJJ16u19uLTa',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmbLHAnMoJPWSCR5Zhtx6BHJX9KiKNN6tpvbUcqanj75Nb',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmcZf59bWwK5XFi76CZX8cbJ4BhTzzA3gU1ZjYZcYW3dwt',
  '/ip4/104.131.131.82/tcp/4001/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ',
  '/ip4/104.131.131.82/udp/4001/quic-v1/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'
]

export const defaultAddresses: JsonObject = {
  Swarm: [
    '/ip4/0.0.0.0/tcp/4001',
    '/ip6/::/tcp/4001',
    '/ip4/0.0.0.0/udp/4001/quic-v1',
    '/ip4/0.0.0.0/udp/4001/quic-v1/webtransport',
    '/ip6/::/udp/4001/quic-v1',
    '/ip6/::/udp/4001/quic-v1/webtransport'
  ],
  Announce: [],
  AppendAnnounce: [],
  NoAnnounce: [],
  API: '/ip4/127.0.0.1/tcp/5001',
  Gateway: '/ip4/127.0.0.1/tcp/8080'
}

/** One file a block, everything else in LevelDB. Members sorted, as the file has them. */
export const flatfsSpec: JsonObject = {
  mounts: [
    {
      child: { path: 'blocks', shardFunc: '/repo/flatfs/shard/v1/next-to-last/2', sync: true, type: 'flatfs' },
      mountpoint: '/blocks',
      prefix: 'flatfs.datastore',
      type: 'measure'
    },
    {
      child: { compression: 'none', path: 'datastore', type: 'levelds' },
      mountpoint: '/',
      prefix: 'leveldb.datastore',
      type: 'measure'
    }
  ],
  type: 'mount'
}

export const badgerSpec: JsonObject = {
  child: { path: 'badgerds', syncWrites: false, truncate: true, type: 'badgerds' },
  prefix: 'badger.datastore',
  type: 'measure'
}

/** The values that `init` writes beside the zero of every key; typed reading puts it in the file's order (Kubo 0.28, config/init.go). */
export function freshConfig(peerId: string, privateKey: string): JsonObject {
  const config: { [key: string]: Json } = {
    Identity: { PeerID: peerId, PrivKey: privateKey },
    Datastore: { StorageMax: '10GB', StorageGCWatermark: 90, GCPeriod: '1h', Spec: flatfsSpec },
    Addresses: defaultAddresses,
    Mounts: { IPFS: '/ipfs', IPNS: '/ipns' },
    Discovery: { MDNS: { Enabled: true } },
    Ipns: { ResolveCacheSize: 128 },
    Bootstrap: bootstrapPeers,
    Gateway: { HTTPHeaders: {} },
    API: { HTTPHeaders: {} },
    DNS: { Resolvers: {} },
    Migration: { DownloadSources: [] },
    Pinning: { RemoteServices: {} }
  }
  return config
}
