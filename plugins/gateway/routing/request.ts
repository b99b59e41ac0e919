import { type Denylist, type Names, type Routing } from '../../../core/index.ts'
import type { Reply } from '../reply/reply.ts'
import type { RecordQuota } from './quota.ts'

/** The sources that routing requests are answered from; without others to ask, what this node knows itself. */
export interface RoutingServices {
  readonly routing: Routing | undefined
  readonly names: Names | undefined
  /** The denylist for content and names. */
  readonly denylist: Denylist | undefined
  /** The names whose records callers may put. */
  readonly quota: RecordQuota
}

/** How one request is answered, and until when. */
export interface RoutingRequest {
  readonly reply: Reply
  /** The last part of the path: a CID, a peer, a name. */
  readonly of: string
  readonly signal: AbortSignal
  /** The caller, as far as requests are counted by it. */
  readonly who: string | undefined
}
