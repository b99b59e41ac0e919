/** Sweeps through a DHT of real nodes, and what is told of them. */
import { randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { type Json, Provider } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { stat, statsReprovide } from '../../../plugins/provide/commands/stat.ts'
import { dhtNode, file, tableOf } from '../../helpers/dht.ts'
import type { OnlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

interface Event {
  readonly Type: number
}

interface Stat {
  readonly Sweep: {
    readonly connectivity: { readonly status: string }
    readonly schedule: { readonly keys: number; readonly regions: number }
    readonly operations: { readonly past: Readonly<Record<string, number>> }
    readonly network: Readonly<Record<string, number | boolean>>
  }
  readonly Legacy: null
}

/** Nodes that all know the first one, and by it each other. */
async function star(t: ExecutionContext, count: number, node: Readonly<Record<string, Json>> = {}): Promise<OnlineNode[]> {
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, i) => dhtNode(t, { node: i === 0 ? node : {}, provide: { provideNew: false } }))
  )
  const [first, ...others] = nodes
  for (const { network } of others) await network.dial(first!.network.self, first!.network.announced())
  await tableOf(first!.host, count - 1)
  for (const { host } of others) await tableOf(host, Math.min(3, count - 1))
  return nodes
}

const isFound = async ({ host }: OnlineNode, cid: string, by: string) =>
  (await itemsOf<Event & { Responses: Array<{ ID: string }> | null }>(await host.call('routing/findprovs', { args: [cid] }))).some(
    ({ Type, Responses }) => Type === 4 && Responses?.some(({ ID }) => ID === by)
  )

async function added({ host }: OnlineNode, count: number): Promise<string[]> {
  const cids: string[] = []
  for (let i = 0; i < count; i++) {
    const [{ Hash }] = (await itemsOf(await host.call('add', { body: file(randomBytes(100)) }))) as [{ Hash: string }]
    cids.push(Hash)
  }
  return cids
}

const statOf = async ({ host }: OnlineNode) => (await itemsOf<Stat>(await host.call('provide/stat')))[0]!

test('after a sweep every block of a node is found by the others, and the records lie with all that a look-up ends with', async t => {
  const nodes = await star(t, 12)
  const [node, ...others] = nodes as [OnlineNode, ...OnlineNode[]]
  const cids = await added(node, 30)
  t.false(await isFound(others[3]!, cids[0]!, node.network.self))
  await node.host.service(Provider)!.reprovide()
  for (const [i, cid] of cids.entries()) t.true(await isFound(others[i % others.length]!, cid, node.network.self), cid)
  const { Sweep, Legacy } = await statOf(node)
  t.is(Legacy, null)
  t.like(Sweep, {
    connectivity: { status: 'online' },
    schedule: { regions: 1 },
    operations: { past: { keys_failed: 0, keys_provided: Sweep.schedule.keys } },
    network: { complete_keyspace_coverage: true, replication_factor: 20 }
  })
  t.true(Sweep.schedule.keys >= 30)
  t.is(Sweep.network['avg_holders'], 11)
})

test('servers that are gone keep nobody from being told of all', async t => {
  const nodes = await star(t, 6)
  const [node, gone, ...others] = nodes as [OnlineNode, OnlineNode, ...OnlineNode[]]
  const cids = await added(node, 10)
  await gone.host.stop()
  await node.host.service(Provider)!.reprovide()
  for (const cid of cids) t.true(await isFound(others[0]!, cid, node.network.self), cid)
  t.true((await statOf(node)).Sweep.network['complete_keyspace_coverage'] as boolean)
})

test('the statistics of a sweep are told in parts, and as a whole in one column or two', async t => {
  const [node] = (await star(t, 3)) as [OnlineNode]
  await added(node, 2)
  await node.host.service(Provider)!.reprovide()
  const text = async (options: Record<string, boolean> = {}, path: 'provide/stat' | 'stats/reprovide' = 'provide/stat') => {
    const command = path === 'provide/stat' ? stat : statsReprovide
    const [item] = await itemsOf(await node.host.call(path, { options }))
    return (command.text as unknown as (item: unknown, call: object) => string)(item, { options })
  }
  const keys = (await statOf(node)).Sweep.schedule.keys
  const brief = await text()
  t.is(
    brief,
    [
      'Provide queue:       0 CIDs, 0 regions',
      'Reprovide queue:     0 regions',
      `CIDs scheduled:      ${keys}`,
      'Regions scheduled:   1',
      'Avg record holders:  2',
      'Ongoing provides:    0 CIDs, 0 regions',
      'Ongoing reprovides:  0 CIDs, 0 regions',
      `Total CIDs provided: ${keys}`,
      ''
    ].join('\n')
  )
  t.is(await text({ queues: true }, 'stats/reprovide'), 'Provide queue:   0 CIDs, 0 regions\nReprovide queue: 0 regions\n')
  t.regex(
    await text({ network: true }),
    /^Avg record holders: {5}2\nPeers swept: {12}2\nFull keyspace coverage: true\nReachable peers: {8}2 \(100%\)\n/
  )
  t.regex(await text({ workers: true }), /^Active workers: 0 \/ 9 \(max\)\nFree workers: {3}0\n {2}Workers stats: Periodic {2}Burst\n/)
  const all = await text({ all: true })
  for (const title of ['Connectivity', 'Queues', 'Schedule', 'Timings', 'Network', 'Operations', 'Workers'])
    t.regex(all, new RegExp(`^${title}:`, 'm'))
  const compact = (await text({ all: true, compact: true })).split('\n')
  t.regex(compact[0]!, /^Schedule: +Connectivity:$/)
  t.true(compact.length < all.split('\n').length)
  await t.throwsAsync(text({ compact: true }), { message: '--compact requires --all flag' })
})

test('a pass can be asked for at level 0.28 alone, as a sweep goes by itself at the other', async t => {
  const node = { 'Reprovider.Interval': '22h' }
  const [a] = (await star(t, 2, node)) as [OnlineNode]
  await added(a, 1)
  await a.host.call('routing/reprovide')
  t.true((await statOf(a)).Sweep.operations.past['keys_provided']! > 0)
})

test('new content is told at once and joins the sweep; what is told once does not', async t => {
  const [a, b] = await Promise.all([dhtNode(t, { node: { 'Reprovider.Interval': '22h' } }), dhtNode(t)])
  await a.network.dial(b.network.self, b.network.announced())
  await tableOf(a.host, 1)
  const [cid] = (await added(a, 1)) as [string]
  await until('it is found', () => isFound(b, cid, a.network.self))
  const { keys } = (await statOf(a)).Sweep.schedule
  t.is(keys, 1)
  await itemsOf(await a.host.call('provide/once', { args: [cid] }))
  t.is((await statOf(a)).Sweep.schedule.keys, 1)
})
