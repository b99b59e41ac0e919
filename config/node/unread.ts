const STORE = "blocks and records lie in holdfast's own store, which has its settings in the host configuration: plugins.storage-rocksdb"
const BITSWAP = 'bitswap has its own limits, in the host configuration: plugins.bitswap'
const RELAY = 'the relay of libp2p for JavaScript has no such limit'
const FETCHED = 'holdfast fetches no programs for its repo'
const THROTTLE = 'AutoNAT of libp2p for JavaScript is limited by the number of streams of a peer (AutoNAT.Throttle.PeerLimit)'
const TRANSPORT = 'there is no such transport yet; an address of its kind is not listened on, and dialling one fails'
const WORKERS = 'a sweep goes through one region at a time, and new blocks have workers of their own (Provide.DHT.MaxWorkers)'
const GONE = 'Kubo 0.28 knows no such experiment any more'

/** Keys that no part of holdfast reads, and why. */
export const unread: ReadonlyMap<string, string> = new Map([
  ['Datastore.Type', STORE],
  ['Datastore.Path', STORE],
  ['Datastore.NoSync', STORE],
  ['Datastore.Params', STORE],
  ['Datastore.Spec', STORE],
  ['Datastore.BloomFilterSize', STORE],
  ['Routing.AcceleratedDHTClient', 'the DHT has one client, which keeps its table small'],
  ['Swarm.RelayService.MaxCircuits', RELAY],
  ['Swarm.RelayService.BufferSize', RELAY],
  ['Swarm.RelayService.MaxReservationsPerPeer', RELAY],
  ['Swarm.RelayService.MaxReservationsPerIP', RELAY],
  ['Swarm.RelayService.MaxReservationsPerASN', RELAY],
  ['Swarm.Transports.Network.WebTransport', TRANSPORT],
  ['Swarm.Transports.Network.WebRTCDirect', TRANSPORT],
  ['Swarm.Transports.Multiplexers.Yamux', 'yamux is the only one, and always on'],
  [
    'Swarm.ResourceMgr.Limits',
    'Kubo 0.28 removed it; MaxMemory, MaxFileDescriptors and the file libp2p-resource-limit-overrides.json count'
  ],
  ['AutoNAT.Throttle.GlobalLimit', THROTTLE],
  ['AutoNAT.Throttle.Interval', THROTTLE],
  ['Migration.DownloadSources', FETCHED],
  ['Migration.Keep', FETCHED],
  ['Provide.BloomFPRate', 'what was told is remembered by its key, in the repo, without a filter that leaves some out'],
  ['Provide.DHT.DedicatedPeriodicWorkers', WORKERS],
  ['Provide.DHT.DedicatedBurstWorkers', WORKERS],
  ['Provide.DHT.OfflineDelay', 'a sweep waits for peers for as long as there are none'],
  ['Provide.DHT.SendProviderRecordTimeout', 'the time for an answer of a peer counts: plugins.routing.requestTimeout'],
  ['Provider.Strategy', 'Kubo 0.28 reads it nowhere either; Reprovider.Strategy counts'],
  ['Experimental.ShardingEnabled', 'directories are sharded by their size (Internal.UnixFSShardingSizeThreshold)'],
  ['Experimental.GraphsyncEnabled', GONE],
  ['Experimental.AcceleratedDHTClient', GONE],
  ['Experimental.OptimisticProvide', 'each record is told to the peers nearest to its key'],
  ['Experimental.OptimisticProvideJobsPoolSize', 'see Experimental.OptimisticProvide'],
  ['Experimental.GatewayOverLibp2p', 'the gateway is not served to peers'],
  ['Plugins.Plugins', "programs of Kubo cannot be loaded; holdfast's plugins stand in the host configuration"],
  ['Internal.Bitswap.TaskWorkerCount', BITSWAP],
  ['Internal.Bitswap.EngineBlockstoreWorkerCount', BITSWAP],
  ['Internal.Bitswap.EngineTaskWorkerCount', BITSWAP],
  ['Internal.Bitswap.MaxOutstandingBytesPerPeer', BITSWAP],
  ['Internal.Bitswap.ProviderSearchDelay', BITSWAP]
])
