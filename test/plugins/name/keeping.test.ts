import test from 'ava'
import { Key } from 'interface-datastore'
import { type Datastore, hasCode, type NamedKey, Names, Repo } from '../../../core/index.ts'
import { nowInNanoseconds, parseName, readRecord } from '../../../core/ipns/index.ts'
import { createHost } from '../../../host/create.ts'
import { Publisher } from '../../../plugins/name/publish/publisher.ts'
import { republishingOf, republishPeriodically } from '../../../plugins/name/publish/republisher.ts'
import { RecordStore } from '../../../plugins/name/records.ts'
import { RecordCache } from '../../../plugins/name/resolve/cache.ts'
import { Routes } from '../../../plugins/name/routes.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRocks } from '../storage/backends.ts'
import { EMPTY_FOLDER, HOUR, Shelf, signer } from './helpers.ts'

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

/** A publisher over a datastore, with one key and a clock that stands still. */
async function publisherOver(
  datastore: Datastore,
  by?: Awaited<ReturnType<typeof signer>>,
  list = async (key: NamedKey): Promise<readonly NamedKey[]> => [key]
) {
  const signedBy = by ?? (await signer())
  const key: NamedKey = { name: 'self', type: 'ed25519', ...signedBy }
  const clock = { now: nowInNanoseconds() }
  const now = () => clock.now
  const records = new RecordStore(datastore, now)
  const routes = new Routes(silent)
  const keys = { find: async () => key, list: () => list(key), sign: (_: string, bytes: Uint8Array) => signedBy.sign(bytes) }
  const publisher = new Publisher({
    keys,
    records,
    routes,
    log: silent,
    now,
    routeTimeout: 30_000,
    cache: new RecordCache(0, undefined, now)
  })
  return { publisher, records, routes, clock, signedBy, multihash: parseName(signedBy.peerId) }
}

test('what was published is there after the store was closed and opened, and the next sequence number follows it', async t => {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo)
  const before = await publisherOver(first.data)
  await before.publisher.publish(`${EMPTY_FOLDER}/1`, { allowOffline: true })
  await before.publisher.publish(`${EMPTY_FOLDER}/2`, { allowOffline: true })
  await first.storage.close()
  const second = await openRocks(repo)
  t.teardown(() => second.storage.close())
  const after = await publisherOver(second.data, before.signedBy)
  t.like(await after.records.best(after.multihash), { path: `${EMPTY_FOLDER}/2`, sequence: 1n })
  t.is((await after.publisher.publish(`${EMPTY_FOLDER}/3`, { allowOffline: true })).sequence, 2n)
})

test('a crash between any two writes never lets a sequence number come back', async t => {
  const seen = new Map<bigint, string>()
  for (let crash = 0; crash < 4; crash++) {
    const memory = new MemoryDatastore()
    const { publisher, signedBy } = await publisherOver(memory)
    await publisher.publish(`${EMPTY_FOLDER}/0`, { allowOffline: true })
    let left = crash
    const crashing = new Proxy(memory, {
      get(target, property) {
        if (property === 'put')
          return (key: Key, value: Uint8Array) => (left-- > 0 ? target.put(key, value) : Promise.reject(new Error('the power is gone')))
        const value = Reflect.get(target, property) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      }
    }) as unknown as Datastore
    const interrupted = await publisherOver(crashing, signedBy)
    await interrupted.publisher.publish(`${EMPTY_FOLDER}/interrupted`, { allowOffline: true }).catch(() => undefined)
    const there = await interrupted.records.published(interrupted.multihash)
    const next = await (await publisherOver(memory, signedBy)).publisher.publish(`${EMPTY_FOLDER}/next`, { allowOffline: true })
    t.true(next.sequence > there!.sequence! || there!.path === `${EMPTY_FOLDER}/0`, `${crash} writes`)
    seen.set(next.sequence, next.path)
  }
  t.deepEqual([...seen.keys()], [1n, 2n], 'one without the write of the interrupted record, the others after it')
})

test('a name that could not be kept as an answer is not told to be published, and is once it can', async t => {
  const memory = new MemoryDatastore()
  const { publisher, signedBy, records, multihash } = await publisherOver(memory)
  await publisher.publish(`${EMPTY_FOLDER}/0`, { allowOffline: true })
  const put = async (key: Key, value: Uint8Array) => {
    if (key.toString().startsWith('/ipns-known/')) throw new Error('no space left on device')
    return memory.put(key, value)
  }
  const full = new Proxy(memory, {
    get(target, property) {
      const value = property === 'put' ? put : (Reflect.get(target, property) as unknown)
      return typeof value === 'function' ? value.bind(target) : value
    }
  }) as unknown as Datastore
  const stuck = await publisherOver(full, signedBy)
  await t.throwsAsync(stuck.publisher.publish(`${EMPTY_FOLDER}/1`, { allowOffline: true }), { message: 'no space left on device' })
  await publisher.publish(`${EMPTY_FOLDER}/1`, { allowOffline: true })
  t.like(await records.best(multihash), { path: `${EMPTY_FOLDER}/1` })
})

test('a record that is damaged in the store is no answer, and is replaced by the next', async t => {
  const memory = new MemoryDatastore()
  const { publisher, records, multihash } = await publisherOver(memory)
  await publisher.publish(EMPTY_FOLDER, { allowOffline: true })
  for await (const key of memory.queryKeys({})) await memory.put(new Key(key.toString()), Buffer.from('damaged'))
  t.is(await records.best(multihash), undefined)
  await publisher.publish(EMPTY_FOLDER, { allowOffline: true })
  t.like(await records.best(multihash), { path: EMPTY_FOLDER })
})

test('republishing keeps path, sequence number and form of a record, lets it end later, and puts it on the routes again', async t => {
  const { publisher, records, routes, clock, multihash } = await publisherOver(new MemoryDatastore())
  const shelf = new Shelf()
  routes.add(shelf.route())
  await publisher.publish(`${EMPTY_FOLDER}/x`, { ttl: HOUR / 2n, lifetime: HOUR, v1Compatible: false })
  clock.now += 2n * HOUR
  t.is(await records.best(multihash), undefined, 'it has ended')
  t.deepEqual(await publisher.republish(3n * HOUR), new Map())
  const again = (await records.best(multihash))!
  t.like(again, { path: `${EMPTY_FOLDER}/x`, sequence: 0n, ttl: HOUR / 2n, end: clock.now + 3n * HOUR })
  t.is(again.fields.signatureV1, undefined)
  t.deepEqual(
    [...shelf.records.values()][0]!.map(bytes => readRecord(bytes).end),
    [clock.now - HOUR, clock.now + 3n * HOUR]
  )
  await publisher.republish(HOUR)
  t.is((await records.best(multihash))!.end, clock.now + 3n * HOUR, 'never sooner than it said')
})

test('one key that cannot be read does not keep the names of others from being republished', async t => {
  const memory = new MemoryDatastore()
  const { publisher, signedBy, records, clock, multihash } = await publisherOver(memory)
  await publisher.publish(`${EMPTY_FOLDER}/x`, { lifetime: HOUR, allowOffline: true })
  const broken = await publisherOver(memory, signedBy, () => Promise.reject(new Error('the key site cannot be read')))
  broken.clock.now = clock.now
  await t.throwsAsync(broken.publisher.republish(3n * HOUR), { message: 'the key site cannot be read' })
  t.is((await records.best(multihash))!.end, clock.now + 3n * HOUR)
})

test('a key without a published name has none after republishing', async t => {
  const { publisher, records, multihash } = await publisherOver(new MemoryDatastore())
  await publisher.republish(HOUR)
  t.is(await records.published(multihash), undefined)
})

test('records are made anew a minute after the start, then every period, and after a failure five minutes later', async t => {
  const minute = HOUR / 60n
  const waits: bigint[] = []
  const outcomes = [new Map(), new Map([['key', new Error('sealed')]]), 'broken', new Map()] as const
  const stop = new AbortController()
  const logged: string[] = []
  let done = 0
  await republishPeriodically(
    {
      period: 4n * HOUR,
      log: { ...silent, error: (line: unknown) => void logged.push(String(line)) },
      async wait(nanoseconds) {
        waits.push(nanoseconds)
        if (waits.length > outcomes.length) stop.abort()
        stop.signal.throwIfAborted()
      },
      async republish() {
        const outcome = outcomes[done++]!
        if (outcome === 'broken') throw new Error('broken')
        return outcome
      }
    },
    stop.signal
  )
  t.deepEqual(waits, [minute, 4n * HOUR, 5n * minute, 5n * minute, 4n * HOUR])
  t.deepEqual(logged, ["republishing the name of the key 'key' failed: sealed", 'republishing names failed: broken'])
})

test('the node configuration says how often and for how long, within bounds', t => {
  const of = (values: Record<string, string>) => republishingOf({ get: key => values[key.slice('Ipns.'.length)] } as Pick<Repo, 'get'>)
  t.deepEqual(of({}), { period: 4n * HOUR, lifetime: 48n * HOUR })
  t.deepEqual(of({ RepublishPeriod: '', RecordLifetime: '72h' }), { period: 4n * HOUR, lifetime: 72n * HOUR })
  for (const RepublishPeriod of ['59s', '24h1s'])
    t.regex(t.throws(() => of({ RepublishPeriod }))?.message ?? '', /^config setting IPNS.RepublishPeriod is not between 1min and 1day: /)
  t.true(
    hasCode(
      t.throws(() => of({ RecordLifetime: '0' })),
      'E_NAME_LIFETIME'
    )
  )
  t.true(
    hasCode(
      t.throws(() => of({ RecordLifetime: 'long' })),
      'E_NAME_SETTING'
    )
  )
})

test('a node that runs offline starts whatever stands in Ipns.RepublishPeriod, as the reference does', async t => {
  for (const period of ['40s', 'xx']) {
    const host = await createHost({
      repo: { path: undefined, init: {}, overrides: { 'Ipns.RepublishPeriod': period } },
      configuration: { plugins: { 'storage-rocksdb': 'off', 'storage-memory': 'on' } }
    })
    t.teardown(() => host.stop())
    await host.start()
    const { peerId } = host.service(Repo)!.identity
    t.is((await host.service(Names)!.resolve(`/ipns/${peerId}`, { offline: true })).path, EMPTY_FOLDER)
  }
})
