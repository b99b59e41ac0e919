import type { CID } from 'multiformats/cid'
import { type Token, token } from '../../token.ts'

/** An entry of a denylist. */
export interface Denial {
  /** How HTTP says it: gone, or withheld for legal reasons. */
  readonly status: 410 | 451
}

/** A path as somebody names it, or as it is after its names were resolved. */
export type DeniablePath =
  | { readonly namespace: 'ipfs'; readonly root: CID; readonly segments: readonly string[] }
  | { readonly namespace: 'ipns'; readonly name: string; readonly segments: readonly string[] }

type Verdict = Denial | undefined

/**
 * The denylist of a node. It is asked about each path before anybody looks where it leads, and about each block that is read on the way
 * and behind it: by the gateway always, by all that reads for a call where `coversCalls` says so. It cannot need what asks it: blocks, paths,
 * names.
 */
export interface Denylist {
  /** Whether calls such as `cat`, `get` and `pin/add` are held to it, and not the gateway alone. */
  readonly coversCalls: boolean
  /** Undefined: nothing stands against it. */
  ofBlock(cid: CID): Verdict | Promise<Verdict>
  /** The same of a path; `segments` are decoded. */
  ofPath(path: DeniablePath): Verdict | Promise<Verdict>
}
export const Denylist: Token<Denylist> = token<Denylist>('denylist')
