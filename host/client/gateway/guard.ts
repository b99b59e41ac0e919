import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'
import { GatewayError } from './errors.ts'

/** Largest fan-out of a sharded directory (boxo, ipld/unixfs/hamt). */
const FANOUT = 1024n

/**
 * Looks at a node before the exporter does, which a fan-out that is none would not let end.
 *
 * @throws E_GATEWAY_CONTENT
 */
export function guardNode(cid: CID, bytes: Uint8Array): void {
  if (cid.code !== dagPb.code) return
  let node: UnixFS
  try {
    node = UnixFS.unmarshal(dagPb.decode(bytes).Data ?? new Uint8Array(0))
  } catch {
    // the exporter says what is wrong with it
    return
  }
  const { type, fanout = 0n } = node
  if (type !== 'hamt-sharded-directory') return
  if (fanout < 8n || fanout > FANOUT || (fanout & (fanout - 1n)) !== 0n)
    throw new GatewayError('E_GATEWAY_CONTENT', `${cid} is a sharded directory with a fan-out of ${fanout}`)
}
