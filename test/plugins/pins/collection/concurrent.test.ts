/** Collections beside those who store and pin, and beside other collections. */
import test, { type ExecutionContext } from 'ava'
import { parseCid } from '../../../../core/cid/parse.ts'
import { Blocks, Blockstore, Collector, Exchange, Pins, ready } from '../../../../core/index.ts'
import { all } from '../../../helpers/streams.ts'
import { put } from '../../blocks/host.ts'
import { collected, has, hashes, node, started } from './host.ts'

test('what is stored while a collection runs stays, also where it was there before', async t => {
  const host = await started(t)
  const cids: string[] = []
  for (let i = 0; i < 600; i++) cids.push(await put(host, `loose ${i}`))
  const removed = new Set<string>()
  let again: string[] | undefined
  for await (const item of host.service(Collector)!.collect()) {
    if (!('cid' in item)) continue
    removed.add(item.cid.toString())
    again ??= await Promise.all([599, 598, 597].map(i => put(host, `loose ${i}`)))
  }
  t.is(removed.size, 600 - again!.filter(cid => !removed.has(cid)).length)
  for (const cid of again!) t.true(await has(host, cid))
  t.deepEqual(
    await collected(host),
    hashes(...again!).filter((hash, i, all) => all.indexOf(hash) === i)
  )
})

test('a block that is fetched for a pin while a collection runs brings with it what it links to', async t => {
  const exchange: Exchange & { bytes?: Uint8Array; until?: Promise<void> } = {
    async get() {
      await this.until
      return this.bytes!
    }
  }
  const host = await started(t, [ready(Exchange, exchange)])
  const blocks = host.service(Blocks)!
  for (let i = 0; i < 600; i++) await put(host, `loose ${i}`)
  const leaf = await put(host, 'leaf')
  const inner = await node(host, leaf)
  const root = await node(host, inner)
  exchange.bytes = await blocks.get(parseCid(inner))
  await blocks.delete(parseCid(inner))
  let arrive = () => {}
  exchange.until = new Promise(resolve => {
    arrive = resolve
  })
  const adding = host.service(Pins)!.add(parseCid(root))
  for await (const _ of host.service(Collector)!.collect()) {
    arrive()
    await adding
  }
  for (const cid of [leaf, inner, root]) t.true(await has(host, cid))
  t.deepEqual(await collected(host), [])
})

const turns = async () => {
  for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve))
}

/** Whether work ends while nothing happens that it could wait for. */
async function isSettled(work: Promise<unknown>): Promise<boolean> {
  let done = false
  const settle = () => {
    done = true
  }
  work.then(settle, settle)
  await turns()
  return done
}

/** A node with loose blocks, and a collection that has begun. */
async function collecting(t: ExecutionContext) {
  const host = await started(t)
  for (let i = 0; i < 300; i++) await put(host, `loose ${i}`)
  const collector = host.service(Collector)!
  const first = collector.collect()[Symbol.asyncIterator]()
  await first.next()
  return { host, collector, first }
}

test('a second collection waits for the first', async t => {
  const { host, first } = await collecting(t)
  const second = collected(host)
  t.false(await isSettled(second))
  await first.return?.()
  t.true((await second).length > 0)
})

test('who waits for a collection can leave, and the next still waits its turn', async t => {
  const { host, first, collector } = await collecting(t)
  const leave = new AbortController()
  const second = all(collector.collect({ signal: leave.signal }))
  const third = collected(host)
  leave.abort(new Error('left'))
  await t.throwsAsync(second, { message: 'left' })
  t.false(await isSettled(third))
  await first.return?.()
  t.true((await third).length > 0)
})

test('a collection that is left stops, and the next one removes the rest', async t => {
  const host = await started(t)
  for (let i = 0; i < 600; i++) await put(host, `loose ${i}`)
  const leave = new AbortController()
  let count = 0
  await t.throwsAsync(async () => {
    for await (const _ of (await host.call('repo/gc', { signal: leave.signal })) as AsyncIterable<unknown>)
      if (++count === 10) leave.abort()
  })
  t.is(count, 10)
  const collectedAfter = await collected(host)
  t.true(collectedAfter.length > 0 && collectedAfter.length < 600)
  t.deepEqual(await collected(host), [])
})

test('a pin that was interrupted does not count on blocks that a collection removed', async t => {
  const host = await started(t)
  const pins = host.service(Pins)!
  let forgotten = 0
  const forget = pins.forgetProgress.bind(pins)
  pins.forgetProgress = () => {
    forgotten++
    return forget()
  }
  await put(host, 'loose')
  t.is((await collected(host)).length, 1)
  t.is(forgotten, 1)
})

test('a put waits while blocks are removed, and stores what was removed under its hands', async t => {
  const host = await started(t)
  const cid = await put(host, 'garbage')
  const store = host.service(Blockstore)!
  const deleteAll = store.deleteAll!.bind(store)
  let storing: Promise<string> | undefined
  store.deleteAll = async multihashes => {
    storing ??= put(host, 'garbage')
    await turns()
    return deleteAll(multihashes)
  }
  t.deepEqual(await collected(host), hashes(cid))
  await storing
  t.true(await has(host, cid))
})
