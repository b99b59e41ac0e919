import type { CID } from 'multiformats/cid'
import { type Token, token } from '../token.ts'
import type { BlockOptions } from './blocks.ts'

/** What a UnixFS node is, as its first block says. */
export interface UnixFsStat {
  readonly cid: CID
  readonly type: 'file' | 'directory' | 'symlink'
  /** Bytes of a file, or of a symlink's target; 0 for a directory. */
  readonly size: bigint
  readonly target?: string
}

export interface DirectoryEntry {
  readonly name: string
  readonly cid: CID
  /** Tsize of the link. */
  readonly size: bigint
}

/** Files and directories over blocks. The import half takes what `add` takes; the export half reads with ranges at constant memory. */
export interface UnixFs {
  stat(cid: CID, options?: BlockOptions): Promise<UnixFsStat>
  /** Bytes of a file (of a symlink: its target). */
  read(cid: CID, options?: BlockOptions & { offset?: bigint; length?: bigint }): AsyncIterable<Uint8Array>
  /** Entries of a directory, in stored order, HAMT shards flattened. */
  list(cid: CID, options?: BlockOptions): AsyncIterable<DirectoryEntry>
}
export const UnixFs: Token<UnixFs> = token<UnixFs>('unixfs')
