import { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { parseCid } from '../../../../core/cid/parse.ts'
import { type AnyProvision, Blocks, Collector, Dag } from '../../../../core/index.ts'
import { type NodeHost } from '../../../../host/host.ts'
import { testHost } from '../../../../host/testing.ts'
import { all, itemsUntilError } from '../../../helpers/streams.ts'
import { upload } from '../../blocks/host.ts'

export async function started(t: ExecutionContext, services: readonly AnyProvision[] = []): Promise<NodeHost> {
  const host = await testHost({ services })
  t.teardown(() => host.stop())
  return host
}

/** Stores a node with these links, under the CID that is answered. */
export async function node(host: NodeHost, ...links: string[]): Promise<string> {
  const data = JSON.stringify({ links: links.map(link => ({ '/': link })) })
  const { items } = await itemsUntilError<{ Cid: { '/': string } }>(host.call('dag/put', { body: upload({ data }) }))
  return items[0]!.Cid['/']
}

export const raw = (cid: string) => parseCid(cid).toV1().multihash.bytes.toString()

/** The multihashes of what a collection removes. */
export async function collected(host: NodeHost): Promise<string[]> {
  const items = await all(host.service(Collector)!.collect())
  return items.map(item => ('cid' in item ? item.cid.multihash.bytes.toString() : item.error.message)).sort()
}

export const links = async (host: NodeHost, cid: CID) =>
  host
    .service(Dag)!
    .links(cid, await host.service(Blocks)!.get(cid))
    .map(link => link.cid.toString())

export const hashes = (...cids: string[]) => cids.map(raw).sort()
export const has = (host: NodeHost, cid: string) => host.service(Blocks)!.has(parseCid(cid))
