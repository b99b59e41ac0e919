import { type Token, token } from '../../token.ts'

/** Any JSON value, as node configuration keys hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A whole node configuration, in Kubo's shape. */
export type NodeConfig = { readonly [key: string]: Json }

/** A value of a node configuration that does not fit its key; as an error, what Kubo's decoder says of it. */
export interface RefusedValue extends Error {
  /** `Datastore.StorageGCWatermark`, `Peering.Peers[0].ID` */
  readonly key: string
  readonly value: Json
  /** The values that may stand there, for a person. */
  readonly allowed: string
}

/** The node's key pair. */
export interface Identity {
  /** base58btc multihash, `12D3KooW…` or `Qm…`. */
  readonly peerId: string
  readonly type: 'ed25519' | 'rsa' | 'secp256k1' | 'ecdsa'
  /** libp2p protobuf of the public key. */
  readonly publicKey: Uint8Array
  /** libp2p protobuf of the private key. */
  readonly privateKey: Uint8Array
}

/** How a store lays out what it keeps, as `datastore_spec` says it: a `type`, and what that type needs. No secrets: it is written down. */
export type StorageLayout = { readonly [key: string]: Json }

/** A change that one plugin makes to the content of a service on its way to where it is kept. */
export interface StorageLayer {
  readonly plugin: string
  readonly layout: StorageLayout
  /** Layouts of content that it reads and makes its own. */
  readonly takesOver: readonly StorageLayout[]
}

/**
 * The storage that the services of this host keep from one start to the next: by the service's name one layer for each plugin that decides how its content
 * is stored, the outermost first; none where nothing outlives the process. Provided by the host, before anything starts.
 */
export interface StorageLayers extends ReadonlyMap<string, readonly StorageLayer[]> {}
export const StorageLayers: Token<StorageLayers> = token<StorageLayers>('storage-layers')

/** The layout of a repo that Kubo 0.28 made with its defaults. */
export const KUBO_LAYOUT: StorageLayout = {
  mounts: [
    { mountpoint: '/blocks', path: 'blocks', shardFunc: '/repo/flatfs/shard/v1/next-to-last/2', type: 'flatfs' },
    { mountpoint: '/', path: 'datastore', type: 'levelds' }
  ],
  type: 'mount'
}

/** The repo folder: lock, version, address files, and the node's own configuration in Kubo's shape. */
export interface Repo {
  /** Absolute path; undefined when the host keeps everything in memory. */
  readonly path: string | undefined
  /** Kubo's repo version, 15. */
  readonly version: number
  /** The node's key pair and its name as a peer, as the configuration has them. */
  readonly identity: Identity
  /** Whether this run makes the repo, or made it. */
  readonly isNew: boolean
  /**
   * The whole node configuration as it is on disk, secrets included.
   *
   * @param options.withRefused - also where values in it are refused; as it always is where the host is there to mend them
   * @throws E_CONFIG_SYNTAX, E_CONFIG_VALUE for a file that was edited since
   */
  config(options?: { readonly withRefused?: boolean }): NodeConfig
  /**
   * The effective value under a dotted key (`Datastore.HashOnRead`): what the file says, else the default.
   * @returns undefined for a key that neither knows
   */
  get<T extends Json = Json>(key: string): T | undefined
  /** Replaces the configuration, atomically. What it does not name is gone: callers start from {@link config}. */
  replaceConfig(next: NodeConfig): Promise<void>
  /**
   * The same in one step with reading: no other change comes between. `change` is asked again where the file was edited meanwhile.
   *
   * @param options.mends - whether it gets values that are refused, too: it takes some of them away then, and brings no other
   * @param options.backup - keep the file as it was, as {@link backupConfig} does
   */
  updateConfig(
    change: (current: NodeConfig) => NodeConfig | Promise<NodeConfig>,
    options?: { readonly backup?: string; readonly mends?: boolean }
  ): Promise<void>
  /** Keeps the configuration as it is now beside itself, as `<prefix>-<random>`. @returns the copy's path; undefined where no file holds it yet */
  backupConfig(prefix: string): Promise<string | undefined>
  /** Forgets how a service's content is stored: there is none but what every new repo has, and another store may take its place. */
  forgetStorage(service: string): Promise<void>
  /**
   * Says that the store in this folder is open, which its own lock lets only one process do. Whoever the repo's lock named before is gone then,
   * also where that could not be seen, as of one in another container.
   */
  storageOpened(): Promise<void>
  /** Writes the `api` (multiaddr) or `gateway` (URL) file; removed again at stop. */
  announce(listener: 'api' | 'gateway', address: string): Promise<void>
  /** Bytes of the files in the repo's folder, but for a folder in it that is counted elsewhere. */
  diskUsage(options?: { but?: string; signal?: AbortSignal }): Promise<bigint>
}
export const Repo: Token<Repo> = token<Repo>('repo')

/** Where the host wants the repo, and what may be done to it. Provided by the host. */
export interface RepoLocation {
  /** undefined: in memory. */
  readonly path: string | undefined
  /** The options that the repo is made with where there is none; undefined: none is made. */
  readonly init?: InitOptions
  /** Whether the work only reads: a repo on a file system that is read-only or full is opened then, where no process that can be seen works on it. */
  readonly readsOnly?: boolean
  /** Whether a configuration with values that are refused is opened all the same, so that it can be mended. They count as absent. */
  readonly mends?: boolean
  /** Key changes to the loaded configuration for this run only, dotted key to value (from flags such as `--routing`). */
  readonly overrides?: Readonly<Record<string, Json>>
  /** Has stores that can do so make what they keep anew, of all that can be read of it, before they open it. Told what they find, a line each; `isLoss`: what nobody can name may be gone. */
  readonly salvage?: (line: string, isLoss?: boolean) => void
}
export const RepoLocation: Token<RepoLocation> = token<RepoLocation>('repo-location')

/** The parts of a new repo. */
export interface InitOptions {
  /** Whether a folder that already holds a repo is refused. */
  readonly mustBeNew?: boolean
  readonly profiles?: readonly string[]
  /** The type of the key pair. Default ed25519. */
  readonly algorithm?: 'ed25519' | 'rsa'
  /** Bits of an RSA key; default 2048. */
  readonly bits?: number
  readonly emptyRepo?: boolean
  /** A node configuration to start from, instead of the defaults. */
  readonly config?: NodeConfig
}

/** A key of the node configuration that holds a value, or a block whose members have names of the user's choice. */
export interface NodeKey {
  /** `Datastore.HashOnRead` */
  readonly key: string
  /** The values that may stand there, for a person. */
  readonly allowed: string
  /** The value that the node works with while the file says nothing; undefined where that is not one value. */
  readonly effective?: Json
  /** Why no part of this node reads it, unless a plugin from elsewhere does. */
  readonly unread?: string
}

/** The keys of a node configuration: types, defaults, profiles. Provided by the host. */
export interface NodeConfigModel {
  /** A new node's configuration, in the order in which its file is written. */
  create(identity: Identity): NodeConfig
  /** All keys that the model knows, in the order in which the file is written. */
  keys(): readonly NodeKey[]
  /** The profiles that exist, and what each is for. */
  profiles(): ReadonlyMap<string, { readonly about: string; readonly initOnly: boolean }>
  /** @throws E_PROFILE_UNKNOWN */
  applyProfile(name: string, config: NodeConfig): Promise<NodeConfig>
  /**
   * Reads the text of a configuration file. Keys that the model does not know are kept.
   * @param refused - told of each value that does not fit, which is kept; without it the first is thrown
   * @throws E_CONFIG_SYNTAX, E_CONFIG_VALUE: each names the file and the place
   */
  parse(text: string, file: string, refused?: (value: RefusedValue) => void): NodeConfig
  /** @throws E_CONFIG_VALUE for what a node must not start with */
  checkStart(config: NodeConfig, file: string): void
  /** The values that fit by their types, and with which a plugin that reads them does not start; each is the error that says so. */
  stopping(config: NodeConfig): Promise<readonly RefusedValue[]>
  /** The text of a file; `sorted` as every change of an existing file leaves it. */
  print(config: NodeConfig, options?: { sorted?: boolean }): string
  /**
   * Only the keys the model knows, each in its own form; absent ones at their zero.
   * @param refused - told of each value that does not fit, which counts as absent; without it the first is thrown
   * @throws E_CONFIG_TYPE, worded as Kubo's decoder does; its `key` is what does not fit
   */
  typed(config: NodeConfig, refused?: (value: RefusedValue) => void): NodeConfig
  /**
   * The values that the node works with: the configuration's values, and defaults where it says nothing. Unknown keys are kept.
   * @param refused - as of {@link typed}
   */
  effective(config: NodeConfig, refused?: (value: RefusedValue) => void): NodeConfig
  /** `changes` laid upon `file`: objects member by member, all else replaced. That is how typed configurations are written. */
  merge(file: NodeConfig, changes: NodeConfig): NodeConfig
  /**
   * The value under a dotted key of the file: names as it spells them, the unknown too.
   * @throws E_CONFIG_KEY_ABSENT, E_CONFIG_KEY_PARENT, which name the part of the key that leads nowhere
   */
  read(config: NodeConfig, key: string): Json
  /** The configuration with another value under a dotted key; objects on the way are made. @throws E_CONFIG_KEY_PARENT */
  write(config: NodeConfig, key: string, value: Json): NodeConfig
  /** The part of it that callers may see, members sorted: all but the private key, the keys of pinning services and the secrets of callers. */
  shown(config: NodeConfig): NodeConfig
  /** Peers that a new node asks first, as multiaddrs. */
  readonly bootstrapPeers: readonly string[]
}
export const NodeConfigModel: Token<NodeConfigModel> = token<NodeConfigModel>('node-config-model')
