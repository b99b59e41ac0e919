/** Clients that read from the gateway and check what they get: Helia's, and the own one. */
import { trustlessGatewayBlockBroker } from '@helia/trustless-gateway-client'
import * as dagCbor from '@ipld/dag-cbor'
import { multiaddr } from '@multiformats/multiaddr'
import test from 'ava'
import { exporter } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'
import { openGateways } from '../../../../host/client/gateway/index.ts'
import { folder, gateway } from './node.ts'

test('the client of Helia reads blocks, a file and data from it', async t => {
  const { url, made, store, get } = await gateway(t)
  const { root, content, small } = await folder(made)
  const value = { name: 'data', list: [1, 2, 3] }
  const data = await made.add(dagCbor.code, dagCbor.encode(value))
  await store()
  const silent = Object.assign(() => {}, { error() {}, trace() {}, enabled: false, newScope: () => silent })
  const provider = { multiaddrs: [multiaddr(`/ip4/127.0.0.1/tcp/${new URL(url).port}/http`)], fallback: false, router: 'test' }
  const routing = {
    async *findProviders() {
      yield provider
    }
  }
  const components = { routing, logger: { forComponent: () => silent } }
  const broker = trustlessGatewayBlockBroker({ allowInsecure: true, allowLocal: true })(components as never)
  t.is(Buffer.from(await broker.retrieve!(small)).toString(), 'small\n')
  t.deepEqual(dagCbor.decode(await broker.retrieve!(data)), value)
  const blocks = {
    async *get(cid: CID) {
      yield await broker.retrieve!(cid)
    }
  }
  const file = await exporter(`${root}/inner/large`, blocks)
  const pieces: Uint8Array[] = []
  if (file.type === 'file') for await (const piece of file.content()) pieces.push(piece)
  t.deepEqual(Buffer.concat(pieces), Buffer.from(content))
  t.is((await get(`/ipfs/bafkqaaa?format=raw`)).status, 200)
})

test('the own client reads it in one request for each path', async t => {
  const { url, made, store } = await gateway(t)
  const { root, content } = await folder(made)
  await store()
  const asked: string[] = []
  const counting = (input: string, init: RequestInit) => {
    asked.push(input.slice(url.length))
    return fetch(input, init)
  }
  const from = openGateways({ gateways: [url], fetch: counting })
  const read: Uint8Array[] = []
  for await (const piece of from.cat(`${root}/inner/large`, { offset: 31_000, length: 1000 })) read.push(piece)
  t.deepEqual(Buffer.concat(read), Buffer.from(content.subarray(31_000, 32_000)))
  t.deepEqual(asked, [`/ipfs/${root}/inner/large?format=car&dag-scope=entity&entity-bytes=31000:31999`])
  const paths: string[] = []
  for await (const { path } of from.get(String(root))) paths.push(path)
  t.deepEqual(paths, ['', 'inner', 'inner/large', 'inner/small', 'other'])
})
