import type { CID } from 'multiformats/cid'
import { type Token, token } from '../../token.ts'

/** Where the bytes of a block lie, outside of the store. */
export interface Place {
  /** An absolute path of this machine, or a URL (`http://…`, `https://…`). */
  readonly path: string
  /** First byte of the block there. */
  readonly offset: number
  /** Bytes of the block. */
  readonly size: number
}

/** A reference as it is noted, or what is wrong with its record. */
export interface Reference extends Place {
  readonly multihash: Uint8Array
  /** The path as it is noted: relative to the folder above the repo, an absolute path, or a URL. */
  readonly path: string
  /** Why the record cannot be read; `path` is empty then. */
  readonly corrupt?: string
}

interface ReferenceOptions {
  signal?: AbortSignal
}

/**
 * Blocks whose bytes stay where they are, in files and behind URLs: the node notes where (filestore and urlstore of Kubo). What is read is
 * held against its hash, so a file that has changed is an error, never other bytes.
 */
export interface References {
  /** Whether the node configuration allows any: `Experimental.FilestoreEnabled`, `Experimental.UrlstoreEnabled`. */
  readonly isEnabled: boolean
  /**
   * Notes where a block lies, unless another place is noted that still has it.
   *
   * @throws E_FILESTORE_OFF, E_URLSTORE_OFF, E_REFERENCE_OUTSIDE, E_REFERENCE_HOST
   */
  add(multihash: Uint8Array, place: Place, options?: ReferenceOptions): Promise<void>
  /** The record of a block; undefined where there is none. */
  get(multihash: Uint8Array, options?: ReferenceOptions): Promise<Reference | undefined>
  /** The block's bytes, verified; undefined where nothing is noted. @throws E_REFERENCE_FILE, E_REFERENCE_MISSING, E_REFERENCE_CHANGED and its kin */
  read(multihash: Uint8Array, options?: ReferenceOptions): Promise<Uint8Array | undefined>
  /** @returns the size of what was noted, undefined when nothing was */
  delete(multihash: Uint8Array, options?: ReferenceOptions): Promise<number | undefined>
  /** All that are noted, in the order of their keys. */
  list(options?: ReferenceOptions): AsyncIterable<Reference>
  /** The content behind a URL, from its first byte on. @throws E_URLSTORE_OFF, E_REFERENCE_HOST, E_REFERENCE_FILE */
  open(url: string, options?: ReferenceOptions): AsyncIterable<Uint8Array>
}
export const References: Token<References> = token<References>('references')

/** Stores references to blocks; see {@link References.add}. */
export interface Referring {
  refer(cid: CID, place: Place, options?: ReferenceOptions): Promise<void>
}
