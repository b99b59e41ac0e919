import {
  autoNatMode,
  count,
  dnsResolvers,
  httpListeners,
  importTypes,
  multiaddr,
  optionalBytes,
  optionalDuration,
  peerId,
  removed,
  router,
  shardingSize,
  throttleInterval
} from './special.ts'
import {
  any,
  bool,
  type Field,
  field,
  flag,
  headers,
  int,
  int64,
  list,
  map,
  optional,
  optionalInteger,
  optionalString,
  priority,
  string,
  stringList,
  struct
} from './types.ts'

const identity = struct('Identity', [field('PeerID', string), optional('PrivKey', string)])

const datastore = struct('Datastore', [
  field('StorageMax', string),
  field('StorageGCWatermark', int64, 90),
  field('GCPeriod', string, '1h'),
  optional('Type', string),
  optional('Path', string),
  optional('NoSync', bool, false),
  optional('Params', any),
  field('Spec', map('map[string]interface {}', any)),
  field('HashOnRead', bool),
  field('BloomFilterSize', int)
])

const addresses = struct('Addresses', [
  field('Swarm', stringList),
  field('Announce', stringList),
  field('AppendAnnounce', stringList),
  field('NoAnnounce', stringList),
  field('API', httpListeners),
  field('Gateway', httpListeners)
])

const mounts = struct('Mounts', [field('IPFS', string), field('IPNS', string), optional('MFS', string), field('FuseAllowOther', bool)])

const discovery = struct('Discovery', [field('MDNS', struct('MDNS', [field('Enabled', bool)]))])

const routing = struct('Routing', [
  optional('Type', optionalString, 'auto'),
  optional('AcceleratedDHTClient', flag, false),
  optional('LoopbackAddressesOnLanDHT', flag, false),
  field('Routers', map('config.Routers', router)),
  field('Methods', map('config.Methods', struct('Method', [field('RouterName', string)])))
])

const ipns = struct('Ipns', [
  field('RepublishPeriod', string, '4h'),
  field('RecordLifetime', string, '48h'),
  field('ResolveCacheSize', count, 128),
  optional('MaxCacheTTL', optionalDuration),
  optional('UsePubsub', flag, false),
  optional('DelegatedPublishers', stringList)
])

const publicGateway = struct('GatewaySpec', [
  field('Paths', stringList),
  field('UseSubdomains', bool),
  field('NoDNSLink', bool),
  field('InlineDNSLink', flag, false),
  field('DeserializedResponses', flag, true)
])

const gateway = struct('Gateway', [
  field('HTTPHeaders', headers),
  field('RootRedirect', string),
  field('NoFetch', bool),
  field('NoDNSLink', bool),
  field('DeserializedResponses', flag, true),
  field('DisableHTMLErrors', flag, false),
  field('PublicGateways', map('map[string]*config.GatewaySpec', publicGateway)),
  field('ExposeRoutingAPI', flag, false)
])

const api = struct('API', [
  field('HTTPHeaders', headers),
  optional(
    'Authorizations',
    map('map[string]*config.RPCAuthScope', struct('RPCAuthScope', [field('AuthSecret', string), field('AllowedPaths', stringList)]))
  )
])

const relayService = struct('RelayService', [
  optional('Enabled', flag, true),
  optional('ConnectionDurationLimit', optionalDuration, '2m0s'),
  optional('ConnectionDataLimit', optionalInteger, 131072),
  optional('ReservationTTL', optionalDuration, '1h0m0s'),
  optional('MaxReservations', optionalInteger, 128),
  optional('MaxCircuits', optionalInteger, 16),
  optional('BufferSize', optionalInteger, 2048),
  optional('MaxReservationsPerPeer', optionalInteger, 4),
  optional('MaxReservationsPerIP', optionalInteger, 8),
  optional('MaxReservationsPerASN', optionalInteger, 32)
])

const network: Field[] = ['QUIC', 'TCP', 'Websocket', 'Relay', 'WebTransport'].map(name => optional(name, flag, true))

const transports = struct('Transports', [
  field('Network', struct('', [...network, optional('WebRTCDirect', flag, false)], 'struct')),
  field('Security', struct('', [optional('TLS', priority, 100), optional('Noise', priority, 300)], 'struct')),
  field('Multiplexers', struct('', [optional('Yamux', priority, 100)], 'struct'))
])

const swarm = struct(
  'SwarmConfig',
  [
    field('AddrFilters', stringList),
    field('DisableBandwidthMetrics', bool),
    field('DisableNatPortMap', bool),
    field('RelayClient', struct('RelayClient', [optional('Enabled', flag, true), optional('StaticRelays', stringList)])),
    field('RelayService', relayService),
    optional('EnableHolePunching', flag, true),
    field('Transports', transports),
    field(
      'ConnMgr',
      struct('ConnMgr', [
        optional('Type', optionalString, 'basic'),
        optional('LowWater', optionalInteger, 32),
        optional('HighWater', optionalInteger, 96),
        optional('GracePeriod', optionalDuration, '20s')
      ])
    ),
    field(
      'ResourceMgr',
      struct('ResourceMgr', [
        optional('Enabled', flag, true),
        optional('Limits', removed('Swarm.ResourceMgr.Limits', 'limits are set with MaxMemory and MaxFileDescriptors')),
        optional('MaxMemory', optionalString),
        optional('MaxFileDescriptors', optionalInteger),
        optional('Allowlist', stringList)
      ])
    )
  ],
  'config.SwarmConfig'
)

const throttle = struct('AutoNATThrottleConfig', [field('GlobalLimit', int), field('PeerLimit', int), field('Interval', throttleInterval)])
const throttleUnset = { GlobalLimit: 30, PeerLimit: 3, Interval: '1m0s' }

const pubsub = struct('PubsubConfig', [
  field('Router', string, 'gossipsub'),
  field('DisableSigning', bool),
  optional('Enabled', flag, false),
  optional('SeenMessagesTTL', optionalDuration, '2m0s'),
  optional('SeenMessagesStrategy', optionalString, 'last-seen')
])

const experimental = struct('Experiments', [
  field('FilestoreEnabled', bool),
  field('UrlstoreEnabled', bool),
  optional('ShardingEnabled', bool, false),
  optional('GraphsyncEnabled', removedSwitch('GraphsyncEnabled', 'graphsync is no longer there')),
  field('Libp2pStreamMounting', bool),
  field('P2pHttpProxy', bool),
  field('StrategicProviding', bool),
  optional('AcceleratedDHTClient', removed('Experimental.AcceleratedDHTClient', 'use Routing.AcceleratedDHTClient')),
  field('OptimisticProvide', bool),
  field('OptimisticProvideJobsPoolSize', int),
  optional('GatewayOverLibp2p', bool, false)
])

function removedSwitch(name: string, instead: string) {
  const gone = removed(`Experimental.${name}`, instead)
  return { ...gone, read: (value: Parameters<typeof gone.read>[0]) => (value === false ? null : gone.read(value)) }
}

const remoteService = struct('RemotePinningService', [
  field('API', struct('RemotePinningServiceAPI', [field('Endpoint', string), field('Key', string)])),
  field(
    'Policies',
    struct('RemotePinningServicePolicies', [
      field(
        'MFS',
        struct('RemotePinningServiceMFSPolicy', [field('Enable', bool), field('PinName', string), field('RepinInterval', string, '5m')])
      )
    ])
  )
])

const internal = struct('Internal', [
  optional(
    'Bitswap',
    struct('InternalBitswap', [
      field('TaskWorkerCount', optionalInteger, 8),
      field('EngineBlockstoreWorkerCount', optionalInteger, 128),
      field('EngineTaskWorkerCount', optionalInteger, 8),
      field('MaxOutstandingBytesPerPeer', optionalInteger, 1048576),
      field('ProviderSearchDelay', optionalDuration, '1s')
    ])
  ),
  optional('UnixFSShardingSizeThreshold', shardingSize, '256kiB'),
  optional('Libp2pForceReachability', optionalString),
  optional('BackupBootstrapInterval', optionalDuration, '1h0m0s')
])

/** The defaults of `add` where its options say nothing; of later versions than 0.28, so that it is only there where somebody has set it. */
const imports = struct('Import', [
  optional('CidVersion', importTypes.cidVersion),
  optional('UnixFSRawLeaves', flag),
  optional('UnixFSChunker', importTypes.chunker),
  optional('HashFunction', importTypes.hash),
  optional('UnixFSFileMaxLinks', importTypes.fileLinks),
  optional('UnixFSDirectoryMaxLinks', importTypes.directoryLinks),
  optional('UnixFSHAMTDirectoryMaxFanout', importTypes.fanout),
  optional('UnixFSHAMTDirectorySizeThreshold', optionalBytes),
  optional('UnixFSHAMTDirectorySizeEstimation', importTypes.sizeEstimation),
  optional('UnixFSDAGLayout', importTypes.layout)
])

/** The section that later versions have in place of `Reprovider`, as far as it is read here. */
const provide = struct('Provide', [
  optional('Enabled', flag),
  optional('Strategy', optionalString),
  optional('BloomFPRate', optionalInteger),
  optional(
    'DHT',
    struct('ProvideDHT', [
      optional('Interval', optionalDuration),
      optional('MaxWorkers', optionalInteger),
      optional('SweepEnabled', flag),
      optional('DedicatedPeriodicWorkers', optionalInteger),
      optional('DedicatedBurstWorkers', optionalInteger),
      optional('MaxProvideConnsPerWorker', optionalInteger),
      optional('KeystoreBatchSize', optionalInteger),
      optional('OfflineDelay', optionalDuration),
      optional('SendProviderRecordTimeout', optionalDuration),
      optional('ResumeEnabled', flag)
    ])
  )
])

/**
 * Every key of the node configuration in the file's member order, with what the node works with while a key says nothing
 * (Kubo 0.28, config/*.go and docs/config.md).
 */
export const nodeSchema = struct('Config', [
  field('Identity', identity),
  field('Datastore', datastore),
  field('Addresses', addresses),
  field('Mounts', mounts),
  optional('Import', imports),
  field('Discovery', discovery),
  field('Routing', routing),
  field('Ipns', ipns),
  field('Bootstrap', stringList),
  field('Gateway', gateway),
  field('API', api),
  field('Swarm', swarm),
  field('AutoNAT', struct('AutoNATConfig', [optional('ServiceMode', autoNatMode), optional('Throttle', throttle, throttleUnset)])),
  field('Pubsub', pubsub),
  field(
    'Peering',
    struct('Peering', [
      field(
        'Peers',
        list(
          'peer.AddrInfo',
          struct('AddrInfo', [optional('ID', peerId), field('Addrs', list('ma.Multiaddr', multiaddr))], 'peer.AddrInfo')
        )
      )
    ])
  ),
  field('DNS', struct('DNS', [field('Resolvers', dnsResolvers), optional('MaxCacheTTL', optionalDuration)])),
  field('Migration', struct('Migration', [field('DownloadSources', stringList, ['HTTPS', 'IPFS']), field('Keep', string, 'cache')])),
  field('Provider', struct('Provider', [field('Strategy', string)])),
  field(
    'Reprovider',
    struct('Reprovider', [optional('Interval', optionalDuration, '22h0m0s'), optional('Strategy', optionalString, 'all')])
  ),
  optional('Provide', provide),
  optional('AutoConf', struct('AutoConf', [optional('Enabled', flag)])),
  field('Experimental', experimental),
  field(
    'Plugins',
    struct('Plugins', [
      field('Plugins', map('map[string]config.Plugin', struct('Plugin', [field('Disabled', bool), field('Config', any)])))
    ])
  ),
  field('Pinning', struct('Pinning', [field('RemoteServices', map('map[string]config.RemotePinningService', remoteService))])),
  field('Internal', internal)
])
