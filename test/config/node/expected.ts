import type { Json } from '../../../core/index.ts'

const SPEC: Json = {
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

/** What `config/show` of the reference answers for a fresh repo (Kubo 0.28), private key left out. */
export const FRESH = {
  API: { HTTPHeaders: {} },
  Addresses: {
    API: '/ip4/127.0.0.1/tcp/5001',
    Announce: [],
    AppendAnnounce: [],
    Gateway: '/ip4/127.0.0.1/tcp/8080',
    NoAnnounce: [],
    Swarm: [
      '/ip4/0.0.0.0/tcp/4001',
      '/ip6/::/tcp/4001',
      '/ip4/0.0.0.0/udp/4001/quic-v1',
      '/ip4/0.0.0.0/udp/4001/quic-v1/webtransport',
      '/ip6/::/udp/4001/quic-v1',
      '/ip6/::/udp/4001/quic-v1/webtransport'
    ]
  },
  AutoNAT: {},
  Bootstrap: [
    '/dnsaddr/bootstrap.libp2p.io/p2p/QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN',
    '/dnsaddr/bootstrap.libp2p.io/p2p/QmQCU2EcMqAqQPR2i9bChDtGNJchTbq5TbXJJ16u19uLTa',
    '/dnsaddr/bootstrap.libp2p.io/p2p/QmbLHAnMoJPWSCR5Zhtx6BHJX9KiKNN6tpvbUcqanj75Nb',
    '/dnsaddr/bootstrap.libp2p.io/p2p/QmcZf59bWwK5XFi76CZX8cbJ4BhTzzA3gU1ZjYZcYW3dwt',
    '/ip4/104.131.131.82/tcp/4001/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ',
    '/ip4/104.131.131.82/udp/4001/quic-v1/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'
  ],
  DNS: { Resolvers: {} },
  Datastore: {
    BloomFilterSize: 0,
    GCPeriod: '1h',
    HashOnRead: false,
    Spec: SPEC,
    StorageGCWatermark: 90,
    StorageMax: '10GB'
  },
  Discovery: { MDNS: { Enabled: true } },
  Experimental: {
    FilestoreEnabled: false,
    Libp2pStreamMounting: false,
    OptimisticProvide: false,
    OptimisticProvideJobsPoolSize: 0,
    P2pHttpProxy: false,
    StrategicProviding: false,
    UrlstoreEnabled: false
  },
  Gateway: {
    DeserializedResponses: null,
    DisableHTMLErrors: null,
    ExposeRoutingAPI: null,
    HTTPHeaders: {},
    NoDNSLink: false,
    NoFetch: false,
    PublicGateways: null,
    RootRedirect: ''
  },
  Identity: { PeerID: '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG' },
  Internal: {},
  Ipns: { RecordLifetime: '', RepublishPeriod: '', ResolveCacheSize: 128 },
  Migration: { DownloadSources: [], Keep: '' },
  Mounts: { FuseAllowOther: false, IPFS: '/ipfs', IPNS: '/ipns' },
  Peering: { Peers: null },
  Pinning: { RemoteServices: {} },
  Plugins: { Plugins: null },
  Provider: { Strategy: '' },
  Pubsub: { DisableSigning: false, Router: '' },
  Reprovider: {},
  Routing: { Methods: null, Routers: null },
  Swarm: {
    AddrFilters: null,
    ConnMgr: {},
    DisableBandwidthMetrics: false,
    DisableNatPortMap: false,
    RelayClient: {},
    RelayService: {},
    ResourceMgr: {},
    Transports: { Multiplexers: {}, Network: {}, Security: {} }
  }
}

/** What the reference makes of an empty document. */
export const EMPTY = {
  API: { HTTPHeaders: null },
  Addresses: { API: null, Announce: null, AppendAnnounce: null, Gateway: null, NoAnnounce: null, Swarm: null },
  AutoNAT: {},
  Bootstrap: null,
  DNS: { Resolvers: null },
  Datastore: { BloomFilterSize: 0, GCPeriod: '', HashOnRead: false, Spec: null, StorageGCWatermark: 0, StorageMax: '' },
  Discovery: { MDNS: { Enabled: false } },
  Experimental: FRESH.Experimental,
  Gateway: { ...FRESH.Gateway, HTTPHeaders: null },
  Identity: { PeerID: '' },
  Internal: {},
  Ipns: { RecordLifetime: '', RepublishPeriod: '', ResolveCacheSize: 0 },
  Migration: { DownloadSources: null, Keep: '' },
  Mounts: { FuseAllowOther: false, IPFS: '', IPNS: '' },
  Peering: { Peers: null },
  Pinning: { RemoteServices: null },
  Plugins: { Plugins: null },
  Provider: { Strategy: '' },
  Pubsub: { DisableSigning: false, Router: '' },
  Reprovider: {},
  Routing: { Methods: null, Routers: null },
  Swarm: FRESH.Swarm
}
