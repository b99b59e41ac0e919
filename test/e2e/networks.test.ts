/** Networks of several nodes on this machine: what one has, others get by every way that reads content. */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { itemsOf, serve } from '../../host/testing.ts'
import { dhtNode, file, tableOf } from '../helpers/dht.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { type OnlineNode, onlineNode } from '../helpers/online.ts'
import { launchDaemon, startDaemon } from '../helpers/process/daemon.ts'
import { until } from '../helpers/until.ts'

/** Leaves of a file, and their size in bytes. */
const [LEAVES, LEAF] = [10_000, 256]

async function added(node: OnlineNode, bytes: Uint8Array): Promise<string> {
  return ((await itemsOf(await node.host.call('add', { body: file(bytes) }))) as [{ Hash: string }])[0].Hash
}

async function read(node: OnlineNode, hash: string): Promise<Buffer> {
  return Buffer.concat(await itemsOf<Uint8Array>(await node.host.call('cat', { args: [hash] })))
}

const counts = async (node: OnlineNode) =>
  (await node.host.call('bitswap/stat')) as { readonly BlocksReceived: bigint | number; readonly BlocksSent: bigint | number }

test('what one of two nodes has, the other gives out through its gateway, and keeps it until a collection', async t => {
  const [source, node] = await Promise.all([
    onlineNode(t),
    onlineNode(t, { node: { 'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0', 'Gateway.NoFetch': false } })
  ])
  await node.network.dial(source.network.self, source.network.announced())
  const { listeners } = await serve(node.host)
  const bytes = randomBytes(700_000)
  const hash = await added(source, bytes)
  const get = async () => fetch(new URL(`/ipfs/${hash}`, listeners['gateway']))
  const answer = await get()
  t.is(answer.status, 200)
  t.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes)
  await source.host.stop()
  t.deepEqual(Buffer.from(await (await get()).arrayBuffer()), bytes, 'it was kept')
  await itemsOf(await node.host.call('repo/gc'))
  await t.throwsAsync(node.host.call('block/stat', { args: [hash], options: { offline: true } }))
})

test('of five connected nodes each gets what one has, by cat and by pin, and what it has fetched the others get of it', async t => {
  const nodes = await Promise.all(Array.from({ length: 5 }, () => onlineNode(t)))
  const [first, ...others] = nodes as [OnlineNode, ...OnlineNode[]]
  await Promise.all(others.map(node => node.network.dial(first.network.self, first.network.announced())))
  const bytes = randomBytes(700_000)
  const hash = await added(first, bytes)
  const [second, third, fourth, fifth] = others as [OnlineNode, OnlineNode, OnlineNode, OnlineNode]
  t.deepEqual(await read(second, hash), bytes)
  t.deepEqual(await read(third, hash), bytes)
  await fourth.host.call('pin/add', { args: [hash] })
  // whoever had it first is gone: the last one gets it of a node that fetched it
  await first.host.stop()
  await fifth.network.dial(fourth.network.self, fourth.network.announced())
  t.deepEqual(await read(fifth, hash), bytes)
  t.true(Number((await counts(fourth)).BlocksSent) >= 4)
})

test('of twenty nodes in a line, the last finds and gets what the first has added, and is told of it by the DHT alone', async t => {
  const nodes: OnlineNode[] = []
  for (let group = 0; group < 4; group++) nodes.push(...(await Promise.all(Array.from({ length: 5 }, () => dhtNode(t)))))
  for (let i = 1; i < nodes.length; i++) await nodes[i]!.network.dial(nodes[i - 1]!.network.self, nodes[i - 1]!.network.announced())
  for (const { host } of nodes) await tableOf(host, 1)
  const [first, last] = [nodes[0]!, nodes.at(-1)!]
  t.is(last.network.connections(first.network.self).length, 0)
  const bytes = randomBytes(1000)
  const hash = await added(first, bytes)
  t.deepEqual(await read(last, hash), bytes)
})

test('a node that is killed in the middle of a fetch of 10,000 blocks goes on afterwards without fetching again what it has', async t => {
  const source = await onlineNode(t)
  const [{ Hash: hash }] = (await itemsOf(
    await source.host.call('add', { body: file(randomBytes(LEAVES * LEAF)), options: { chunker: `size-${LEAF}` } })
  )) as [{ Hash: string }]
  const launch = await daemonOf(t)
  const start = async () => {
    const started = await launch([])
    await started.ask(`swarm/connect?arg=${encodeURIComponent(source.addresses()[0]!)}`)
    return { ...started, stored: async () => (await started.ask('refs/local')).split('\n').filter(line => line !== '').length }
  }
  const first = await start()
  const before = await first.stored()
  const fetching = first.ask(`pin/add?arg=${hash}`).catch(() => 'broken')
  await until('some blocks are here', async () => (await first.stored()) - before > 1000)
  await first.daemon.kill()
  t.is(await fetching, 'broken', 'it was killed before the end')
  const second = await start()
  const kept = (await second.stored()) - before
  t.true(kept > 1000, `${kept} blocks were kept`)
  await second.ask(`pin/add?arg=${hash}`)
  const { BlocksReceived, DupBlksReceived } = JSON.parse(await second.ask('bitswap/stat'))
  const whole = (await second.stored()) - before
  t.true(whole > LEAVES)
  t.is(BlocksReceived - DupBlksReceived, whole - kept, 'only what was missing was fetched')
  t.is(await second.daemon.stop(), 0)
})

test('a node stays connected with a peer of Peering that was killed and comes back', async t => {
  const launch = await daemonOf(t)
  const first = await launch(['/ip4/127.0.0.1/tcp/0'])
  const { ID: id } = JSON.parse(await first.ask('id'))
  const [address] = JSON.parse(await first.ask('swarm/addrs/local')).Strings
  const node = await onlineNode(t, { node: { 'Peering.Peers': [{ ID: id, Addrs: [address] }] }, network: { peeringDelay: 200 } })
  const isConnected = () => node.network.connections(id).length > 0
  await until('they are connected', isConnected)
  await first.daemon.kill()
  await until('the loss is noticed', () => !isConnected())
  const second = await launch([address])
  await until('they are connected again', isConnected)
  t.is(await second.daemon.stop(), 0)
})

/** What starts a daemon on one and the same repo, which listens for peers at some addresses and looks for nobody. */
async function daemonOf(t: ExecutionContext) {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  await (await startDaemon(repo)).stop()
  const config = JSON.parse(await readFile(join(repo, 'config'), 'utf8'))
  config.Bootstrap = []
  config.Discovery.MDNS.Enabled = false
  config.Routing.Type = 'none'
  config.Swarm.DisableNatPortMap = true
  const composition = join(folder, 'network.json')
  await writeFile(composition, JSON.stringify({ plugins: { network: 'on' } }))
  return async (swarm: readonly string[]) => {
    config.Addresses.Swarm = swarm
    await writeFile(join(repo, 'config'), JSON.stringify(config))
    const launched = launchDaemon(repo, { online: true, globalArgs: ['--config', composition] })
    t.teardown(() => launched.kill())
    const daemon = await launched.ready
    const ask = async (path: string) => {
      const answer = await fetch(`${daemon.url}/api/v0/${path}`, { method: 'POST' })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${path}: ${text}`)
      return text.trim()
    }
    return { daemon, ask }
  }
}
