// Written by `npm run docs` from the plugins in the folders beside it.
import type { NodeKeys, Plugin, Status } from '../core/index.ts'

/** The description of a built-in, known before it is imported. */
export interface CatalogueEntry {
  readonly name: string
  readonly status: Status
  readonly about: string
  readonly offByDefault?: boolean
  /** Whether it talks to peers. */
  readonly online?: boolean
  /** The commands it declares, to say why one is off. */
  readonly paths: readonly string[]
  /** The status of commands whose status is not that of the plugin. */
  readonly statuses?: Readonly<Record<string, Status>>
  /** Names of the services it provides, to say who is missing. */
  readonly services: readonly string[]
  /** Flags of the daemon by the names of its options, and the settings of this plugin that each stands for. */
  readonly flags?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The keys of the node configuration that it reads, also to say that nobody does while it is off. */
  readonly nodeKeys?: NodeKeys
  load(): Promise<{ default: Plugin }>
}

export const catalogue: readonly CatalogueEntry[] = [
  {
    name: 'bitswap',
    status: 'regular',
    about: 'Blocks from and for other peers.',
    paths: ['bitswap/ledger', 'bitswap/reprovide', 'bitswap/stat', 'bitswap/wantlist', 'stats/bitswap'],
    services: ['bitswap', 'exchange'],
    nodeKeys: { atOnce: ['Experimental.StrategicProviding'] },
    load: () => import('./bitswap/index.ts')
  },
  {
    name: 'blocks',
    status: 'regular',
    about: 'Single blocks: the local store, then other peers.',
    paths: ['block/get', 'block/put', 'block/rm', 'block/stat'],
    services: ['block-sources', 'blocks', 'read-ahead', 'write-barrier'],
    nodeKeys: { atStart: ['Datastore.HashOnRead'] },
    load: () => import('./blocks/index.ts')
  },
  {
    name: 'cid',
    status: 'regular',
    about: 'Looks at CIDs, converts them and multibase text, and lists codecs, hashes and bases.',
    paths: [
      'cid/base32', 'cid/bases', 'cid/codecs', 'cid/format', 'cid/hashes', 'cid/inspect', 'multibase/decode', 'multibase/encode',
      'multibase/list', 'multibase/transcode'
    ],
    statuses: { 'cid/inspect': 'newer' },
    services: [],
    load: () => import('./cid/index.ts')
  },
  {
    name: 'configuration',
    status: 'regular',
    about: 'The node configuration: its values, profiles, and the peers that the node asks first.',
    paths: [
      'bootstrap', 'bootstrap/add', 'bootstrap/add/default', 'bootstrap/list', 'bootstrap/rm', 'bootstrap/rm/all', 'config',
      'config/profile/apply', 'config/replace', 'config/show'
    ],
    services: [],
    nodeKeys: { atOnce: ['AutoConf.Enabled'] },
    load: () => import('./configuration/index.ts')
  },
  {
    name: 'content',
    status: 'regular',
    about: 'Files and folders, and the links between objects.',
    paths: ['add', 'cat', 'get', 'ls', 'refs', 'refs/local', 'resolve'],
    services: ['unixfs'],
    nodeKeys: {
      atOnce: [
        'Internal.UnixFSShardingSizeThreshold', 'Import.UnixFSHAMTDirectorySizeThreshold', 'Import.UnixFSHAMTDirectorySizeEstimation',
        'Experimental.FilestoreEnabled', 'Experimental.UrlstoreEnabled', 'Import.CidVersion', 'Import.UnixFSRawLeaves',
        'Import.UnixFSChunker', 'Import.HashFunction', 'Import.UnixFSFileMaxLinks', 'Import.UnixFSDirectoryMaxLinks',
        'Import.UnixFSHAMTDirectoryMaxFanout', 'Import.UnixFSDAGLayout'
      ]
    },
    load: () => import('./content/index.ts')
  },
  {
    name: 'dag',
    status: 'regular',
    about: 'Graphs of blocks: codecs, paths, nodes in and out, and statistics.',
    paths: ['dag/export', 'dag/get', 'dag/import', 'dag/put', 'dag/resolve', 'dag/stat'],
    services: ['dag', 'paths'],
    load: () => import('./dag/index.ts')
  },
  {
    name: 'denylist',
    status: 'regular',
    about: 'Content that is not given, by lists in files: 410 of the gateway, and of calls where it is set.',
    offByDefault: true,
    paths: [],
    services: ['denylist'],
    load: () => import('./denylist/index.ts')
  },
  {
    name: 'diagnostics',
    status: 'regular',
    about: 'The identity, the work and the health of the node: version, commands, calls, log, metrics, profiles; and how to stop it.',
    paths: [
      'commands', 'commands/completion/bash', 'commands/completion/fish', 'commands/completion/zsh', 'diag/cmds', 'diag/cmds/clear',
      'diag/cmds/set-time', 'diag/healthy', 'diag/profile', 'diag/sys', 'id', 'log/level', 'log/ls', 'log/tail', 'shutdown', 'version',
      'version/check', 'version/deps'
    ],
    statuses: { 'version/check': 'newer', 'diag/healthy': 'newer', 'log/tail': 'experimental' },
    services: [],
    load: () => import('./diagnostics/index.ts')
  },
  {
    name: 'filestore',
    status: 'regular',
    about: 'Blocks whose bytes stay in files or behind URLs.',
    paths: ['filestore/dups', 'filestore/ls', 'filestore/verify'],
    services: ['references'],
    nodeKeys: { atStart: ['Experimental.FilestoreEnabled', 'Experimental.UrlstoreEnabled'] },
    load: () => import('./filestore/index.ts')
  },
  {
    name: 'gateway',
    status: 'regular',
    about: 'Content over HTTP: files, folders and sites for browsers, blocks and archives for clients that check them.',
    paths: [],
    services: [],
    nodeKeys: {
      atStart: [
        'Addresses.Gateway', 'Gateway.HTTPHeaders', 'Gateway.RootRedirect', 'Gateway.ExposeRoutingAPI', 'Experimental.P2pHttpProxy',
        'Gateway.NoFetch', 'Gateway.NoDNSLink', 'Gateway.DeserializedResponses', 'Gateway.DisableHTMLErrors', 'Gateway.PublicGateways'
      ]
    },
    load: () => import('./gateway/index.ts')
  },
  {
    name: 'gossipsub',
    status: 'regular',
    about: 'Messages to all peers that listen to a topic, by gossipsub or floodsub.',
    paths: [],
    services: ['pubsub'],
    flags: { enablePubsubExperiment: { enabled: true }, enableNamesysPubsub: { enabled: true } },
    nodeKeys: { atStart: ['Pubsub', 'Ipns.UsePubsub'] },
    load: () => import('./gossipsub/index.ts')
  },
  {
    name: 'keys',
    status: 'regular',
    about: 'Key pairs by name: made, taken in, renamed and removed; signatures with them.',
    paths: ['key/export', 'key/gen', 'key/import', 'key/list', 'key/ls', 'key/rename', 'key/rm', 'key/rotate', 'key/sign', 'key/verify'],
    statuses: { 'key/ls': 'newer', 'key/sign': 'experimental', 'key/verify': 'experimental' },
    services: ['keys'],
    load: () => import('./keys/index.ts')
  },
  {
    name: 'mcp',
    status: 'experimental',
    about: 'Commands as tools of the Model Context Protocol, over standard input and output and over HTTP.',
    offByDefault: true,
    paths: ['mcp'],
    services: [],
    load: () => import('./mcp/index.ts')
  },
  {
    name: 'mfs',
    status: 'regular',
    about: 'The mutable tree: directories and files under paths, kept although nothing pins them.',
    paths: [
      'files/chcid', 'files/chmod', 'files/cp', 'files/flush', 'files/ls', 'files/mkdir', 'files/mv', 'files/read', 'files/rm',
      'files/stat', 'files/touch', 'files/write'
    ],
    statuses: { 'files/chmod': 'newer', 'files/touch': 'newer' },
    services: ['mfs', 'mfs-trees'],
    nodeKeys: {
      atStart: [
        'Internal.UnixFSShardingSizeThreshold', 'Import.UnixFSHAMTDirectorySizeThreshold', 'Import.UnixFSHAMTDirectorySizeEstimation'
      ]
    },
    load: () => import('./mfs/index.ts')
  },
  {
    name: 'migrate',
    status: 'regular',
    about: 'Takes a repo of Kubo over, and writes one for it.',
    paths: ['migrate'],
    services: [],
    load: () => import('./migrate/index.ts')
  },
  {
    name: 'mount',
    status: 'experimental',
    about: 'Content, names and the mutable tree as folders of this machine, by FUSE.',
    paths: ['mount'],
    services: [],
    nodeKeys: { atOnce: ['Mounts.IPFS', 'Mounts.IPNS', 'Mounts.MFS', 'Mounts.FuseAllowOther'] },
    load: () => import('./mount/index.ts')
  },
  {
    name: 'name',
    status: 'regular',
    about: 'Names that lead to content: of keys by IPNS records, of domains by DNSLink.',
    paths: [
      'name/get', 'name/inspect', 'name/publish', 'name/pubsub/cancel', 'name/pubsub/state', 'name/pubsub/subs', 'name/put', 'name/resolve'
    ],
    statuses: {
      'name/get': 'newer',
      'name/inspect': 'experimental',
      'name/put': 'newer',
      'name/pubsub/cancel': 'experimental',
      'name/pubsub/state': 'experimental',
      'name/pubsub/subs': 'experimental'
    },
    services: ['names', 'txt-resolver'],
    nodeKeys: {
      atStart: [
        'Ipns.RepublishPeriod', 'Ipns.RecordLifetime', 'Ipns.ResolveCacheSize', 'Ipns.MaxCacheTTL', 'Ipns.DelegatedPublishers',
        'DNS.Resolvers', 'DNS.MaxCacheTTL'
      ]
    },
    load: () => import('./name/index.ts')
  },
  {
    name: 'name-pubsub',
    status: 'experimental',
    about: 'Names over pubsub: their records are sent to who has asked for them before, as soon as they are published.',
    paths: [],
    services: ['name-subscriptions'],
    flags: { enableNamesysPubsub: { enabled: true } },
    nodeKeys: { atStart: ['Ipns.UsePubsub'] },
    load: () => import('./name-pubsub/index.ts')
  },
  {
    name: 'network',
    status: 'regular',
    about: 'The node among its peers: connections and streams by libp2p.',
    offByDefault: true,
    online: true,
    paths: [],
    services: ['address-filters', 'network', 'network-limits', 'network-traffic', 'peering'],
    flags: { agentVersionSuffix: { agentSuffix: '' } },
    nodeKeys: {
      atOnce: ['Bootstrap'],
      atStart: [
        'Addresses.Swarm', 'Addresses.Announce', 'Addresses.AppendAnnounce', 'Addresses.NoAnnounce', 'Discovery.MDNS.Enabled',
        'Routing.Type', 'Swarm.AddrFilters', 'Swarm.DisableBandwidthMetrics', 'Swarm.DisableNatPortMap', 'Swarm.RelayClient',
        'Swarm.RelayService.Enabled', 'Swarm.RelayService.ConnectionDurationLimit', 'Swarm.RelayService.ConnectionDataLimit',
        'Swarm.RelayService.ReservationTTL', 'Swarm.RelayService.MaxReservations', 'Swarm.EnableHolePunching',
        'Swarm.Transports.Network.TCP', 'Swarm.Transports.Network.Websocket', 'Swarm.Transports.Network.QUIC',
        'Swarm.Transports.Network.Relay', 'Swarm.Transports.Security', 'Swarm.ConnMgr', 'Swarm.ResourceMgr.Enabled',
        'Swarm.ResourceMgr.MaxMemory', 'Swarm.ResourceMgr.MaxFileDescriptors', 'Swarm.ResourceMgr.Allowlist', 'AutoNAT.ServiceMode',
        'AutoNAT.Throttle.PeerLimit', 'Peering.Peers', 'Internal.Libp2pForceReachability', 'Internal.BackupBootstrapInterval'
      ]
    },
    load: () => import('./network/index.ts')
  },
  {
    name: 'object',
    status: 'deprecated',
    about: 'Differences between two objects, and their links: what is left of the old interface to dag-pb nodes.',
    paths: ['object/diff', 'object/patch/add-link', 'object/patch/rm-link'],
    services: [],
    load: () => import('./object/index.ts')
  },
  {
    name: 'older',
    status: 'deprecated',
    about: 'Commands of earlier releases: the old interface to dag-pb nodes, archives, domains and what else is gone since.',
    offByDefault: true,
    paths: [
      'config/edit', 'dns', 'file/ls', 'object/data', 'object/get', 'object/links', 'object/new', 'object/patch/append-data',
      'object/patch/set-data', 'object/put', 'object/stat', 'repo/fsck', 'tar/add', 'tar/cat', 'update', 'urlstore/add'
    ],
    services: [],
    load: () => import('./older/index.ts')
  },
  {
    name: 'p2p',
    status: 'experimental',
    about: 'Services over peers: those of this machine for peers, and those of peers on this machine.',
    paths: ['p2p/close', 'p2p/forward', 'p2p/listen', 'p2p/ls', 'p2p/stream/close', 'p2p/stream/ls'],
    services: [],
    nodeKeys: { atOnce: ['Experimental.Libp2pStreamMounting'] },
    load: () => import('./p2p/index.ts')
  },
  {
    name: 'pinning-service',
    status: 'regular',
    about: 'Keeps content for others, who ask by the IPFS Pinning Service API.',
    offByDefault: true,
    paths: ['pin/service/ls', 'pin/service/rm', 'pin/service/token/list', 'pin/service/token/new', 'pin/service/token/rm'],
    services: [],
    load: () => import('./pinning-service/index.ts')
  },
  {
    name: 'pins',
    status: 'regular',
    about: 'Pins, direct and recursive, which this node keeps; and the collection of what it does not.',
    paths: ['pin/add', 'pin/ls', 'pin/rm', 'pin/update', 'pin/verify', 'repo/gc'],
    services: ['collector', 'pins'],
    flags: { enableGc: { collect: 'periodic' } },
    nodeKeys: { atStart: ['Datastore.StorageMax', 'Datastore.StorageGCWatermark', 'Datastore.GCPeriod'] },
    load: () => import('./pins/index.ts')
  },
  {
    name: 'provide',
    status: 'regular',
    about: 'Tells others what this node has: new content at once, and all of it from time to time.',
    paths: ['provide/clear', 'provide/once', 'provide/stat', 'routing/reprovide', 'stats/provide', 'stats/reprovide'],
    statuses: {
      'provide/clear': 'newer',
      'provide/once': 'newer',
      'routing/reprovide': 'newer',
      'provide/stat': 'newer',
      'stats/reprovide': 'newer'
    },
    services: ['provider'],
    nodeKeys: {
      atStart: [
        'Reprovider', 'Provide.Enabled', 'Provide.Strategy', 'Provide.DHT.Interval', 'Provide.DHT.KeystoreBatchSize',
        'Provide.DHT.MaxProvideConnsPerWorker', 'Provide.DHT.MaxWorkers', 'Provide.DHT.ResumeEnabled', 'Provide.DHT.SweepEnabled',
        'Experimental.StrategicProviding'
      ]
    },
    load: () => import('./provide/index.ts')
  },
  {
    name: 'pubsub',
    status: 'deprecated',
    about: 'Messages to all peers that listen to a topic.',
    paths: ['pubsub/ls', 'pubsub/peers', 'pubsub/pub', 'pubsub/reset', 'pubsub/sub'],
    statuses: { 'pubsub/reset': 'newer' },
    services: [],
    load: () => import('./pubsub/index.ts')
  },
  {
    name: 'remote-pins',
    status: 'regular',
    about: 'Pins at other machines: services that keep content for this node.',
    paths: ['pin/remote/add', 'pin/remote/ls', 'pin/remote/rm', 'pin/remote/service/add', 'pin/remote/service/ls', 'pin/remote/service/rm'],
    services: [],
    nodeKeys: { atOnce: ['Pinning.RemoteServices'] },
    load: () => import('./remote-pins/index.ts')
  },
  {
    name: 'removed',
    status: 'removed',
    about: 'Commands that are gone, and say what replaced them.',
    paths: [
      'dht/findpeer', 'dht/findprovs', 'dht/get', 'dht/provide', 'dht/put', 'object/data', 'object/get', 'object/links', 'object/new',
      'object/patch/append-data', 'object/patch/set-data', 'object/put', 'object/stat'
    ],
    services: [],
    load: () => import('./removed/index.ts')
  },
  {
    name: 'repo',
    status: 'regular',
    about: 'The repo folder: its lock, version and size, the node configuration, and whether the blocks are whole.',
    paths: ['repo/ls', 'repo/stat', 'repo/verify', 'repo/version', 'stats/repo'],
    services: ['repo'],
    nodeKeys: { atOnce: ['Datastore.StorageMax'], atStart: ['Identity'] },
    load: () => import('./repo/index.ts')
  },
  {
    name: 'retrieval',
    status: 'regular',
    about: 'Blocks from trustless gateways and hosts of RASL over HTTP, beside those from peers.',
    online: true,
    paths: ['retrieval/get'],
    statuses: { 'retrieval/get': 'experimental' },
    services: [],
    load: () => import('./retrieval/index.ts')
  },
  {
    name: 'routing',
    status: 'regular',
    about: 'Where peers, content and records are: the DHT and delegated routers.',
    paths: ['dht/query', 'routing/findpeer', 'routing/findprovs', 'routing/get', 'routing/provide', 'routing/put', 'stats/dht'],
    statuses: {
      'dht/query': 'deprecated',
      'routing/get': 'experimental',
      'routing/provide': 'experimental',
      'routing/put': 'experimental'
    },
    services: ['dhts', 'routing'],
    nodeKeys: {
      atOnce: ['Provide.Enabled'],
      atStart: ['Routing.Type', 'Routing.Routers', 'Routing.Methods', 'Routing.LoopbackAddressesOnLanDHT']
    },
    load: () => import('./routing/index.ts')
  },
  {
    name: 'storage-memory',
    status: 'regular',
    about: 'Keeps blocks and keys in memory until the node stops.',
    offByDefault: true,
    paths: [],
    services: ['blockstore', 'datastore'],
    load: () => import('./storage-memory/index.ts')
  },
  {
    name: 'storage-rocksdb',
    status: 'regular',
    about: 'Keeps keys and small blocks in RocksDB and larger blocks beside it, in the repo.',
    paths: [],
    services: ['blockstore', 'datastore'],
    load: () => import('./storage-rocksdb/index.ts')
  },
  {
    name: 'swarm',
    status: 'regular',
    about: 'Peers: who is connected and by which addresses; connecting, filtering, staying with and pinging them.',
    paths: [
      'ping', 'stats/bw', 'swarm/addrs', 'swarm/addrs/autonat', 'swarm/addrs/listen', 'swarm/addrs/local', 'swarm/connect',
      'swarm/disconnect', 'swarm/filters', 'swarm/filters/add', 'swarm/filters/rm', 'swarm/peering/add', 'swarm/peering/ls',
      'swarm/peering/rm', 'swarm/peers', 'swarm/reachability', 'swarm/resources'
    ],
    statuses: { 'swarm/addrs/autonat': 'newer', 'swarm/resources': 'experimental' },
    services: [],
    load: () => import('./swarm/index.ts')
  },
  {
    name: 'tokens',
    status: 'regular',
    about: 'Tokens of callers of the RPC: what each may do, and until when.',
    paths: ['token/list', 'token/new', 'token/rm'],
    services: [],
    load: () => import('./tokens/index.ts')
  }
]
