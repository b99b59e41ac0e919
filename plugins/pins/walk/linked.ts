import type { CID } from 'multiformats/cid'
import { DAG_PB } from '../../../core/cid/codes.ts'
import { openPb } from '../../../core/dag/index.ts'
import type { Dag } from '../../../core/index.ts'

/** Bytes of a dag-pb node whose links are read one by one: all at once as objects they may take sixty times as many. */
const ONE_BY_ONE = 64 * 1024

/** Hands on what a node links to, in its order. A CID may be a view of the node's bytes. */
export function eachLinked(dag: Dag, cid: CID, bytes: Uint8Array, visit: (linked: CID) => void): void {
  if (cid.code !== DAG_PB || bytes.byteLength <= ONE_BY_ONE) {
    for (const link of dag.links(cid, bytes)) visit(link.cid)
    return
  }
  const node = openPb(bytes)
  for (let i = 0; i < node.length; i++) visit(node.cid(i))
}
