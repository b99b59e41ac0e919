import test from 'ava'
import type { NameRoute } from '../../../core/index.ts'
import { hasCode } from '../../../core/index.ts'
import { formatName, nowInNanoseconds, parseName } from '../../../core/ipns/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { RecordCache } from '../../../plugins/name/resolve/cache.ts'
import { EMPTY_FOLDER, HOUR, keysOf, namesOf, nodeWith, recordOf, Shelf, signer } from './helpers.ts'

const at = (name: string) => `/ipns/${name}`

test('what one node publishes another finds, and what it publishes next as well', async t => {
  const shelf = new Shelf()
  const [one, other] = [namesOf(await nodeWith(t)), namesOf(await nodeWith(t))]
  one.addRoute(shelf.route())
  other.addRoute(shelf.route())
  const { name } = await one.publish(`${EMPTY_FOLDER}/1`)
  t.is((await other.resolve(at(name))).path, `${EMPTY_FOLDER}/1`)
  await one.publish(`${EMPTY_FOLDER}/2`)
  t.is((await other.resolve(at(name))).path, `${EMPTY_FOLDER}/1`, 'remembered')
  t.is((await other.resolve(at(name), { nocache: true })).path, `${EMPTY_FOLDER}/2`)
  t.is((await other.resolve(at(name))).path, `${EMPTY_FOLDER}/2`)
  const asked = shelf.asked
  await t.throwsAsync(other.resolve(at(name), { offline: true }), { message: 'could not resolve name' })
  t.is(shelf.asked, asked)
})

test('with the same key on two nodes the later one goes on from what it finds', async t => {
  const shelf = new Shelf()
  const [one, other] = [await nodeWith(t), await nodeWith(t)]
  for (const node of [one, other]) namesOf(node).addRoute(shelf.route())
  const key = await keysOf(one).generate('shared')
  const { identityOf } = await import('../../../core/keys/index.ts')
  await keysOf(other).import('shared', identityOf(await keysOf(one).export('shared')))
  for (let i = 0; i < 3; i++) await namesOf(one).publish(`${EMPTY_FOLDER}/${i}`, { key: 'shared' })
  const { sequence, name } = await namesOf(other).publish(`${EMPTY_FOLDER}/other`, { key: 'shared' })
  t.is(sequence, 3n)
  t.is(name, formatName(parseName(key.peerId)))
})

test('a key that takes the name of another while that one is published signs nothing in its place', async t => {
  const host = await nodeWith(t)
  const [keys, names] = [keysOf(host), namesOf(host)]
  const key = await keys.generate('site')
  await keys.generate('other')
  const shelf = new Shelf()
  // what was published before is looked for; meanwhile the names change
  const route: NameRoute = {
    ...shelf.route(),
    async *find() {
      await keys.rename('other', 'site', { force: true })
    }
  }
  names.addRoute(route)
  const error = await t.throwsAsync(names.publish(`${EMPTY_FOLDER}/1`, { key: 'site' }))
  t.true(hasCode(error, 'E_PUBLISH_KEY'), error.message)
  t.is(await names.published(formatName(parseName(key.peerId))), undefined)
  t.is(shelf.records.size, 0)
})

test('of the records that routes find the best good one counts, and each better one is told', async t => {
  const by = await signer()
  const multihash = parseName(by.peerId)
  const name = formatName(multihash)
  const put = async (shelf: Shelf, ...records: Uint8Array[]) => {
    for (const record of records) await shelf.route().publish(multihash, record, { signal: new AbortController().signal })
  }
  const [a, b] = [new Shelf(), new Shelf()]
  await put(
    a,
    Buffer.from('junk'),
    await recordOf(await signer(), { sequence: 99n }),
    await recordOf(by, { sequence: 1n, path: '/ipfs/bafkqaaa/1' })
  )
  await put(
    b,
    await recordOf(by, { sequence: 2n, end: nowInNanoseconds() - HOUR }),
    await recordOf(by, { sequence: 0n, path: '/ipfs/bafkqaaa/0' })
  )
  const host = await nodeWith(t)
  const failing: NameRoute = {
    name: 'failing',
    publish: () => Promise.reject(new Error('no')),
    async *find() {
      throw new Error('no')
    }
  }
  for (const route of [a.route('a'), b.route('b'), failing]) namesOf(host).addRoute(route)
  t.is((await namesOf(host).resolve(at(name))).path, '/ipfs/bafkqaaa/1')
  const told = await itemsOf<{ Path: string }>(await host.call('name/resolve', { args: [name], options: { stream: true, nocache: true } }))
  t.is(told.at(-1)!.Path, '/ipfs/bafkqaaa/1')
})

test('a route that never ends is given up when the time for it is over, and what was found by then counts', async t => {
  const by = await signer()
  const multihash = parseName(by.peerId)
  const record = await recordOf(by)
  const endless: NameRoute = {
    name: 'endless',
    publish: () => new Promise(() => {}),
    async *find() {
      yield record
      await new Promise(() => {})
    }
  }
  const host = await nodeWith(t, { settings: { routeTimeout: 50 } })
  namesOf(host).addRoute(endless)
  const name = formatName(multihash)
  t.is((await namesOf(host).resolve(at(name), { dhtTimeout: 50_000_000n })).path, '/ipfs/bafkqaaa')
  t.is((await namesOf(host).resolve(at(name), { nocache: true, recordCount: 1, dhtTimeout: 0n })).path, '/ipfs/bafkqaaa')
  const error = await t.throwsAsync(namesOf(host).publish(EMPTY_FOLDER))
  t.true(hasCode(error, 'E_PUBLISH_ROUTES'))
  t.regex(error?.message ?? '', /endless: context deadline exceeded/)
})

test('a caller that leaves ends the search', async t => {
  const host = await nodeWith(t)
  const begun = Promise.withResolvers<AbortSignal>()
  namesOf(host).addRoute({
    name: 'waiting',
    publish: async () => {},
    async *find(_, { signal }) {
      begun.resolve(signal)
      await new Promise(() => {})
    }
  })
  const caller = new AbortController()
  const { peerId } = await signer()
  const search = namesOf(host).resolve(at(peerId), { signal: caller.signal, dhtTimeout: 0n })
  const signal = await begun.promise
  caller.abort(new Error('left'))
  await t.throwsAsync(search, { message: 'left' })
  t.true(signal.aborted)
})

test('a route that only finds is given no records, and a node with no other has nobody to publish to', async t => {
  const shelf = new Shelf()
  const { name: _, publish, ...finding } = shelf.route()
  const names = namesOf(await nodeWith(t))
  names.addRoute({ name: 'finding', ...finding })
  t.true(hasCode(await t.throwsAsync(names.publish(EMPTY_FOLDER)), 'E_PUBLISH_OFFLINE'))
  const { name } = await names.publish(`${EMPTY_FOLDER}/1`, { allowOffline: true })
  t.is(shelf.records.size, 0)
  const other = namesOf(await nodeWith(t))
  other.addRoute(shelf.route())
  await other.publish(`${EMPTY_FOLDER}/2`)
  names.addRoute(shelf.route())
  await names.publish(`${EMPTY_FOLDER}/3`)
  t.is((await other.resolve(at(name))).path, `${EMPTY_FOLDER}/3`)
})

test('a route that is taken away is asked no more', async t => {
  const shelf = new Shelf()
  const names = namesOf(await nodeWith(t))
  const lease = names.addRoute(shelf.route())
  t.deepEqual(
    names.routes.map(({ name }) => name),
    ['shelf']
  )
  lease.release()
  t.deepEqual(names.routes, [])
  t.true(hasCode(await t.throwsAsync(names.publish(EMPTY_FOLDER)), 'E_PUBLISH_OFFLINE'))
})

test('records of others are kept where they are good and the best, and are answers then', async t => {
  const names = namesOf(await nodeWith(t))
  const by = await signer()
  const first = await recordOf(by, { sequence: 1n, path: '/ipfs/bafkqaaa/1' })
  const second = await recordOf(by, { sequence: 2n, path: '/ipfs/bafkqaaa/2' })
  await names.put(by.peerId, second)
  t.true(hasCode(await t.throwsAsync(names.put(by.peerId, first)), 'E_RECORD_OLDER'))
  await names.put(by.peerId, second)
  t.is((await names.resolve(at(by.peerId))).path, '/ipfs/bafkqaaa/2')
  t.deepEqual(Buffer.from((await names.record(by.peerId))!), Buffer.from(second))
  t.true(hasCode(await t.throwsAsync(names.put(by.peerId, await recordOf(await signer(), { sequence: 9n }))), 'E_RECORD_SIGNATURE'))
})

test('a record is remembered as long as it says, never beyond its end or the most that is allowed, and only so many are', async t => {
  let now = nowInNanoseconds()
  const { readRecord } = await import('../../../core/ipns/index.ts')
  const by = await signer()
  const record = async (ttl: bigint, life: bigint) => readRecord(await recordOf(by, { ttl, end: now + life }))
  const minute = HOUR / 60n
  const cache = new RecordCache(2, 10n * minute, () => now)
  cache.set('long', await record(HOUR, HOUR))
  cache.set('short', await record(minute, HOUR))
  t.truthy(cache.get('long'))
  cache.set('ending', await record(HOUR, 2n * minute))
  t.is(cache.get('short'), undefined, 'the least recently used one is given up')
  now += 3n * minute
  t.is(cache.get('ending'), undefined)
  t.truthy(cache.get('long'))
  now += 8n * minute
  t.is(cache.get('long'), undefined)
  cache.set('never', await record(0n, HOUR))
  t.is(cache.get('never'), undefined)
})

test('however many records there are of the names on the way, each name is looked for once, and once for each answer that is streamed', async t => {
  const shelf = new Shelf()
  const signers = await Promise.all([signer(), signer(), signer()])
  const pathOf = (i: number) => (i === signers.length ? '/ipfs/bafkqaaa' : at(formatName(parseName(signers[i]!.peerId))))
  for (const [i, by] of signers.entries())
    for (const sequence of [1n, 2n, 3n])
      await shelf
        .route()
        .publish(parseName(by.peerId), await recordOf(by, { sequence, path: pathOf(i + 1) }), { signal: new AbortController().signal })
  const names = namesOf(await nodeWith(t))
  names.addRoute(shelf.route())
  t.is((await names.resolve(pathOf(0), { nocache: true })).path, '/ipfs/bafkqaaa')
  t.is(shelf.asked, 3)
  const told: string[] = []
  for await (const { path } of names.resolutions(pathOf(0), { nocache: true })) told.push(path)
  t.deepEqual(told, ['/ipfs/bafkqaaa', '/ipfs/bafkqaaa', '/ipfs/bafkqaaa'])
  t.is(shelf.asked, 3 + 1 + 3 * 2)
})
