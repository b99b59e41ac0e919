import type { CID } from 'multiformats/cid'
import { type Token, token } from '../token.ts'

/** The mutable tree. */
export interface Mfs {
  /** Puts a node at a path, as `add --to-files` does. Its errors say what is wrong with the path. */
  link(path: string, name: string, cid: CID, options?: { signal?: AbortSignal }): Promise<void>
}
export const Mfs: Token<Mfs> = token<Mfs>('mfs')
