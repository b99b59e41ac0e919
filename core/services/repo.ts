import { type Token, token } from '../token.ts'

/** Any JSON value, as node configuration keys hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

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

/** The repo folder: lock, version, address files, and the node's own configuration in Kubo's shape. */
export interface Repo {
  /** Absolute path; undefined when the host keeps everything in memory. */
  readonly path: string | undefined
  /** Kubo's repo version, 15. */
  readonly version: number
  readonly identity: Identity
  /** The whole node configuration as it is on disk, secrets included. */
  config(): Readonly<Record<string, Json>>
  /**
   * The effective value under a dotted key (`Datastore.HashOnRead`): what the file says, else the default.
   * @returns undefined for a key that neither knows
   */
  get<T extends Json = Json>(key: string): T | undefined
  /** Replaces the configuration, atomically. What it does not name is gone: callers start from {@link config}. */
  replaceConfig(next: Readonly<Record<string, Json>>): Promise<void>
  /** Writes the `api` (multiaddr) or `gateway` (URL) file; removed again at stop. */
  announce(listener: 'api' | 'gateway', address: string): Promise<void>
  /** Bytes the repo's folder occupies. */
  diskUsage(): Promise<bigint>
}
export const Repo: Token<Repo> = token<Repo>('repo')

/** Where the host wants the repo, and what may be done to it. Provided by the host. */
export interface RepoLocation {
  /** undefined: in memory. */
  readonly path: string | undefined
  /** Make the repo where there is none, with these options. */
  readonly init?: InitOptions
  /** Key changes to the loaded configuration for this run only, dotted key to value (from flags such as `--routing`). */
  readonly overrides?: Readonly<Record<string, Json>>
}
export const RepoLocation: Token<RepoLocation> = token<RepoLocation>('repo-location')

export interface InitOptions {
  readonly profiles?: readonly string[]
  /** Default ed25519. */
  readonly algorithm?: 'ed25519' | 'rsa'
  /** Of an RSA key; default 2048. */
  readonly bits?: number
  readonly emptyRepo?: boolean
  /** A node configuration to start from, instead of the defaults. */
  readonly config?: Readonly<Record<string, Json>>
}
