import { randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { Bitswap, Blocks, CID } from '../../../core/index.ts'
import { itemsOf, upload } from '../../../host/testing.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

async function added(node: OnlineNode, content: Uint8Array | string): Promise<string> {
  const lines = await itemsOf<{ Hash: string }>(await node.host.call('add', { body: upload(content), options: { pin: false } }))
  return lines.at(-1)!.Hash
}

async function catOf(node: OnlineNode, path: string): Promise<Buffer> {
  return Buffer.concat(await itemsOf<Uint8Array>(await node.host.call('cat', { args: [path] })))
}

async function pair(t: ExecutionContext): Promise<[OnlineNode, OnlineNode]> {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  await a.network.dial(b.network.self, b.network.announced())
  return [a, b]
}

const statOf = (node: OnlineNode) => node.host.service(Bitswap)!.stat()

test('a file is read from a peer that has it, and is here afterwards', async t => {
  const [a, b] = await pair(t)
  const content = randomBytes(20_000_000)
  const hash = await added(b, content)
  t.true(content.equals(await catOf(a, hash)))
  const stat = statOf(a)
  t.is(stat.blocksReceived, statOf(b).blocksSent)
  t.is(stat.duplicateBlocksReceived, 0)
  t.true(stat.messagesReceived < stat.blocksReceived, 'blocks are asked for, and come, several at a time')
  t.true(await a.host.service(Blocks)!.has(CID.parse(hash)))
  t.true(content.equals(await catOf(a, hash)))
  t.is(statOf(a).blocksReceived, stat.blocksReceived, 'nothing is fetched twice')
  await until('nothing is wanted any more', () => statOf(a).wantlist.length === 0)
})
