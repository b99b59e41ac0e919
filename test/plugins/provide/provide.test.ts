import { randomBytes } from 'node:crypto'
import test from 'ava'
import { CID, Datastore, hasCode, Provider } from '../../../core/index.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { ProvideQueue } from '../../../plugins/provide/queue.ts'
import { dhtNode, file, line } from '../../helpers/dht.ts'
import { onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

interface Event {
  readonly Type: number
}

const SOME = Array.from({ length: 5 }, () => CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'))

test('others are told of a folder and all in it, once each block stands in the queue', async t => {
  const [a, b] = await line(t, 2, { provideNew: false })
  const [{ Hash }] = (await itemsOf(await a!.host.call('add', { body: file(randomBytes(600_000)) }))) as [{ Hash: string }]
  const queued = await itemsOf<{ Queued: string }>(await a!.host.call('provide/once', { args: [Hash], options: { recursive: true } }))
  t.is(queued.length, 4, 'the root and its three leaves')
  t.is(queued[0]?.Queued, Hash)
  for (const { Queued } of queued)
    await until(`${Queued} is found`, async () =>
      (await itemsOf<Event>(await b!.host.call('routing/findprovs', { args: [Queued] }))).some(({ Type }) => Type === 4)
    )
})

test('what is no CID, is not stored here, or cannot be told to anybody is named', async t => {
  const [a] = await line(t, 2)
  const once = async (host: typeof a, cid: string) => itemsOf(await host!.host.call('provide/once', { args: [cid] }))
  await t.throwsAsync(once(a, 'nonsense'), { message: 'invalid CID "nonsense": invalid cid: selected encoding not supported' })
  const absent = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  await t.throwsAsync(once(a, absent), { message: `block ${absent} not found locally, cannot provide` })
  await t.throwsAsync(once(await dhtNode(t), absent), { message: 'cannot provide: no connected peers' })
  const off = await onlineNode(t, { node: { 'Provide.Enabled': false } })
  await t.throwsAsync(once(off, absent), { message: 'cannot provide: Provide.Enabled is false' })
  for (const path of ['routing/reprovide', 'provide/stat', 'stats/reprovide'])
    await t.throwsAsync((async () => itemsOf((await off.host.call(path)) as never))(), { message: /Provide\.Enabled/ }, path)
})

test('passes are told: how many blocks, how long, and when', async t => {
  const [a] = await line(t, 2, { provideNew: false }, { 'Provide.DHT.SweepEnabled': false })
  const stat = async () => {
    const [found] = await itemsOf<{ Sweep: null; Legacy: Record<string, number | string> }>(await a!.host.call('provide/stat'))
    return found!
  }
  t.like(await stat(), { Sweep: null, FullRT: false, Legacy: { TotalReprovides: 0, LastRun: '0001-01-01T00:00:00Z' } })
  await itemsOf(await a!.host.call('add', { body: file() }))
  const began = Date.now()
  await a!.host.service(Provider)!.reprovide()
  const { Legacy } = await stat()
  t.true((Legacy['TotalReprovides'] as number) > 0)
  t.true((Legacy['AvgReprovideDuration'] as number) > 0)
  t.true(Date.parse(Legacy['LastRun'] as string) >= began)
  t.true(
    hasCode(await t.throwsAsync(async () => itemsOf(await a!.host.call('provide/stat', { options: { lan: true } }))), 'E_PROVIDE_STAT_LAN')
  )
  await t.throwsAsync(async () => a!.host.call('routing/reprovide'), {
    message: "invalid configuration: Provide.DHT.Interval is set to '0'"
  })
})

test('the queue is emptied also on a node that runs offline, of what an earlier run left', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const clear = async (options = {}) => itemsOf<number>(await host.call('provide/clear', { options }))
  t.deepEqual(await clear(), [0])
  await new ProvideQueue(host.service(Datastore)!, 100).add(SOME)
  t.deepEqual(await clear(), [5])
  await new ProvideQueue(host.service(Datastore)!, 100).add(SOME)
  t.deepEqual(await clear({ quiet: true }), [])
  t.deepEqual(await clear(), [0])
})

test('what is cleared while it is worked on is not counted twice', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const queue = new ProvideQueue(host.service(Datastore)!, 100)
  await queue.add(SOME)
  const taken = await queue.first(3)
  await taken[0]!.done()
  t.is(queue.length, 4)
  t.is(await queue.clear(new AbortController().signal), 4)
  await Promise.all(taken.map(({ done }) => done()))
  t.is(queue.length, 0)
  await queue.add(SOME.slice(0, 1))
  t.is(queue.length, 1)
})
