import { type Token, token } from '../../token.ts'
import type { Identity } from '../storage/repo.ts'

/** The name under which the node's own key pair is known. It stands in the node configuration, not among the others. */
export const SELF = 'self'

/** A key pair by its name, without its private half. */
export interface NamedKey extends Omit<Identity, 'privateKey'> {
  readonly name: string
}

/** A key under its new name. */
export interface Renamed {
  readonly key: NamedKey
  /** Whether another key had that name, and is gone. */
  readonly overwrote: boolean
}

/**
 * Key pairs by name, next to the node's own, which is called `self`. Names are any text of 1 to 156 bytes of UTF-8. Once a call resolves, its
 * change survives power loss; a process that is killed meanwhile leaves all of it or nothing. Two calls at once lose nothing.
 *
 * All but `names` refuse a key that is stored but of no use: E_KEY_FILE, E_KEY_SEALED, E_KEY_PASSPHRASE, and, but for `remove` and `rename`,
 * E_KEY_INVALID for one that is too small or too large.
 */
export interface Keys {
  /**
   * Makes a key pair.
   *
   * @param options - `type` is `ed25519` (default) or `rsa`, whose `bits` are 2048 (default) to 8192
   * @throws E_KEY_SELF, E_KEY_NAME, E_KEY_NAME_LONG, E_KEY_EXISTS, E_KEY_TYPE, E_KEY_TOO_SMALL, E_KEY_TOO_LARGE
   */
  generate(name: string, options?: { type?: string; bits?: number; signal?: AbortSignal }): Promise<NamedKey>
  /** The node's own first, then all others by the bytes of their names. */
  list(): Promise<readonly NamedKey[]>
  /** The names of what `list` lists, in its order; also of keys that are of no use. */
  names(): Promise<readonly string[]>
  /** The key of this name; undefined where there is none. */
  get(name: string): Promise<NamedKey | undefined>
  /**
   * The key of this name, else the first that has this peer ID, in any form: `12D3KooW…`, `k51…`.
   *
   * @throws E_KEY_SEALED where none has the ID, and a key that may have it is encrypted
   */
  find(nameOrId: string): Promise<NamedKey | undefined>
  /** @throws E_KEY_SELF, E_KEY_NAME, E_KEY_NAME_LONG, E_KEY_UNKNOWN; E_KEY_TAKEN without `force` where another key has the name */
  rename(from: string, to: string, options?: { force?: boolean }): Promise<Renamed>
  /** @throws E_KEY_SELF, E_KEY_UNKNOWN */
  remove(name: string): Promise<NamedKey>
  /** Stores a key pair. @throws E_KEY_SELF, E_KEY_NAME, E_KEY_NAME_LONG, E_KEY_EXISTS */
  import(name: string, identity: Identity): Promise<NamedKey>
  /** The private key in libp2p's protobuf form. Who has it can act as this name for good. @throws E_KEY_ABSENT */
  export(name: string): Promise<Uint8Array>
  /** Signs as libp2p does for the type of the key. @throws E_KEY_ABSENT */
  sign(name: string, bytes: Uint8Array): Promise<Uint8Array>
}
export const Keys: Token<Keys> = token<Keys>('keys')
