import test, { type ExecutionContext } from 'ava'
import { parseCid } from '../../../core/cid/parse.ts'
import { Blocks, Pins, WriteBarrier } from '../../../core/index.ts'
import { type NodeHost } from '../../../host/host.ts'
import { testHost } from '../../../host/testing.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { put, upload } from './host.ts'

async function started(t: ExecutionContext): Promise<NodeHost> {
  const host = await testHost()
  t.teardown(() => host.stop())
  return host
}

/** Stores a node with these links, under the CID that is answered. */
async function node(host: NodeHost, ...links: string[]): Promise<string> {
  const data = JSON.stringify({ links: links.map(link => ({ '/': link })) })
  const { items } = await itemsUntilError<{ Cid: { '/': string } }>(host.call('dag/put', { body: upload({ data }) }))
  return items[0]!.Cid['/']
}

function removing(host: NodeHost, ...cids: string[]) {
  let done = false
  const answer = itemsUntilError<{ Hash: string; Error?: string }>(host.call('block/rm', { args: cids })).finally(() => {
    done = true
  })
  return { answer, isDone: () => done }
}

async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

test('a block that a running call has stored is removed only when that call has ended', async t => {
  const host = await started(t)
  const barrier = host.service(WriteBarrier)!
  const cid = await put(host, 'a')
  const call = new AbortController()
  const lease = barrier.hold({ signal: call.signal })
  await host.service(Blocks)!.put(parseCid(cid), Buffer.from('a'), { signal: call.signal })
  const { answer, isDone } = removing(host, cid)
  await turns()
  t.false(isDone())
  t.true(await host.service(Blocks)!.has(parseCid(cid)))
  lease.release()
  t.deepEqual((await answer).items, [{ Hash: cid }])
  t.false(await host.service(Blocks)!.has(parseCid(cid)))
})

test('a running call that stored other blocks holds up nobody who removes', async t => {
  const host = await started(t)
  const barrier = host.service(WriteBarrier)!
  const [mine, other] = [await put(host, 'mine'), await put(host, 'other')]
  const call = new AbortController()
  barrier.hold({ signal: call.signal })
  await host.service(Blocks)!.put(parseCid(other), Buffer.from('other'), { signal: call.signal })
  t.deepEqual((await removing(host, mine).answer).items, [{ Hash: mine }])
})

test('a block that becomes pinned while its removal waits stays, and the answer says so', async t => {
  const host = await started(t)
  const leaf = await put(host, 'leaf')
  const root = await node(host, leaf)
  const lease = await host.service(WriteBarrier)!.announce({ cid: parseCid(root), recursive: true })
  const other = await put(host, 'other')
  const { answer, isDone } = removing(host, leaf, other)
  await turns()
  t.false(isDone())
  await host.service(Pins)!.add(parseCid(root))
  lease.release()
  const { items } = await answer
  t.deepEqual(items, [{ Hash: leaf, Error: `pinned via ${root}` }, { Hash: other }])
})

test('a root that is announced and does not reach a block does not keep it', async t => {
  const host = await started(t)
  const [leaf, other] = [await put(host, 'leaf'), await put(host, 'other')]
  const root = await node(host, leaf)
  await host.service(WriteBarrier)!.announce({ cid: parseCid(root), recursive: true })
  await host.service(WriteBarrier)!.announce({ cid: parseCid(other), recursive: false })
  const third = await put(host, 'third')
  t.deepEqual((await removing(host, third).answer).items, [{ Hash: third }])
})

test('who waits for others to remove a block can give up', async t => {
  const host = await started(t)
  const cid = await put(host, 'a')
  const lease = await host.service(WriteBarrier)!.announce({ cid: parseCid(cid), recursive: false })
  const leave = new AbortController()
  const answer = itemsUntilError(host.call('block/rm', { args: [cid], signal: leave.signal }))
  await turns()
  leave.abort()
  t.truthy((await answer).error)
  lease.release()
  await turns()
  t.true(await host.service(Blocks)!.has(parseCid(cid)))
})

test('a block that is stored between the look at the pins and its removal is looked at again', async t => {
  const host = await started(t)
  const cid = await put(host, 'a')
  const pins = host.service(Pins)!
  const why = pins.why.bind(pins)
  let looks = 0
  pins.why = async (cids, options) => {
    const answer = await why(cids, options)
    if (++looks === 1) await put(host, 'a', { pin: true })
    return answer
  }
  t.deepEqual((await removing(host, cid).answer).items, [{ Hash: cid, Error: 'pinned: recursive' }])
  t.is(looks, 2)
})
