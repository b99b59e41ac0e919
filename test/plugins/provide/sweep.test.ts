/** The sweep through the keyspace over a DHT in memory, on a clock of its own. */
import test from 'ava'
import type { Datastore } from '../../../core/index.ts'
import { ProvideKeys } from '../../../plugins/provide/keys.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { RocksDatastore } from '../../../plugins/storage-rocksdb/database/datastore.ts'
import { storageSettings } from '../../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../../plugins/storage-rocksdb/storage.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { settledMemory } from '../../helpers/memory.ts'
import { until } from '../../helpers/until.ts'
import { multihashOf, SimulatedDht, simulated } from './simulated.ts'

const HOUR = 3_600_000

const keysOf = (count: number, name = 'key') => Array.from({ length: count }, (_, i) => multihashOf(`${name} ${i}`))

/** Lists what is in an array at the time. */
const listing = (keys: readonly Uint8Array[]) =>
  async function* () {
    yield* keys
  }

interface Simulation {
  readonly dht: SimulatedDht
  readonly keys: readonly Uint8Array[]
  readonly datastore?: Datastore
  readonly config?: Readonly<Record<string, unknown>>
}

function sweepOf({ dht, keys, datastore = new MemoryDatastore(), config = {} }: Simulation, clock?: { now: number }) {
  return simulated({ dht, datastore, multihashes: listing(keys), config }, clock)
}

/** Runs a sweep for one cycle that tells all at once. */
async function wholeCycle(sweep: ReturnType<typeof sweepOf>['sweep']): Promise<void> {
  const over = new AbortController()
  const running = sweep.run(over.signal)
  await sweep.now()
  over.abort()
  await running
}

/** Runs a sweep until it has come to something. */
async function runUntil({ sweep }: ReturnType<typeof sweepOf>, what: string, isDone: () => boolean): Promise<void> {
  const over = new AbortController()
  const running = sweep.run(over.signal)
  try {
    await until(what, isDone)
  } finally {
    over.abort()
    await running
  }
}

test('a sweep hands every key to the twenty servers that are closest to it, by far fewer look-ups than keys', async t => {
  const dht = new SimulatedDht(500)
  const keys = keysOf(2000)
  const { sweep } = sweepOf({ dht, keys })
  await wholeCycle(sweep)
  t.deepEqual(new Set(keys.map(key => dht.coverage(key))), new Set([20]))
  t.true(dht.lookups < 100, `${dht.lookups} look-ups`)
  t.true(dht.told < 1_000, `${dht.told} connections`)
  t.like(sweep.stats, { keys: 2000, isWhole: true, cycle: { keys: 2000, failedKeys: 0 } })
})

test('in a network of fewer servers than keep a record all have all', async t => {
  const dht = new SimulatedDht(12)
  const keys = keysOf(300)
  await runUntil(sweepOf({ dht, keys }), 'a cycle has ended', () => dht.records >= 300 * 12)
  t.deepEqual(new Set(keys.map(key => dht.holders.get(key.toString('hex'))?.size)), new Set([12]))
  t.is(dht.lookups, 1)
})

test('the first cycle tells all at once, later ones spread over the interval, each key once in every interval', async t => {
  const dht = new SimulatedDht(300)
  const keys = keysOf(2_000)
  const simulation = sweepOf({ dht, keys })
  const { clock } = simulation
  const began = clock.now
  const times: number[] = []
  dht.onTell = () => void times.push((clock.now - began) / HOUR)
  await runUntil(simulation, 'three days are over', () => clock.now - began > 72 * HOUR)
  const within = (from: number, to: number) => times.filter(time => time >= from && time < to).length
  const first = within(0, 1)
  t.true(first > 100)
  t.is(within(1, 10.9), 0, 'what was told a moment ago is not told again')
  // a day and a cycle of half an interval in between: eleven hours on, and again at twenty-two
  for (const [from, to] of [
    [11, 22.1],
    [22.1, 44.1],
    [44.1, 66.1]
  ] as const)
    t.true(Math.abs(within(from, to) - first) < first / 3, `${within(from, to)} between ${from} and ${to}`)
  for (let hour = 23; hour < 65; hour += 4) t.true(within(hour, hour + 4) < first / 2, `${within(hour, hour + 4)} at ${hour}`)
})

test('after a restart a sweep goes on where it was, without listing again', async t => {
  const dht = new SimulatedDht(300)
  const keys = keysOf(2_000)
  const datastore = new MemoryDatastore()
  const clock = { now: 1_700_000_000_000 }
  const first = sweepOf({ dht, keys, datastore }, clock)
  await runUntil(first, 'some regions are told', () => first.sweep.stats.regionsDone >= 3)
  const told = new Set(dht.holders.keys())
  t.true(told.size > 100 && told.size < 1_900, `${told.size} keys`)
  dht.holders.clear()
  let listings = 0
  const second = simulated(
    {
      dht,
      datastore,
      async *multihashes() {
        listings++
        yield* keys
      }
    },
    clock
  )
  await runUntil(second, 'the cycle has ended', () => second.sweep.stats.isWhole)
  const [again, missed] = [
    [...dht.holders.keys()].filter(key => told.has(key)).length,
    keys.filter(key => !told.has(key.toString('hex')) && dht.coverage(key) < 20).length
  ]
  t.is(missed, 0)
  t.true(again < 300, `${again} keys of the region that was broken off`)
  t.true(listings <= 1, 'only the next cycle lists')
})

test('a sweep that is not to go on, or says other things than before, begins anew', async t => {
  for (const config of [{ 'Provide.DHT.ResumeEnabled': false }, { 'Provide.Strategy': 'roots' }]) {
    const dht = new SimulatedDht(300)
    const keys = keysOf(1_000)
    const datastore = new MemoryDatastore()
    const clock = { now: 1_700_000_000_000 }
    const first = sweepOf({ dht, keys, datastore }, clock)
    await runUntil(first, 'some regions are told', () => first.sweep.stats.regionsDone >= 3)
    dht.holders.clear()
    const second = sweepOf({ dht, keys, datastore, config }, clock)
    await runUntil(second, 'the cycle has ended', () => second.sweep.stats.isWhole)
    t.is(keys.filter(key => dht.coverage(key) < 20).length, 0)
  }
})

test('after more than an interval without the node all is told at once', async t => {
  const dht = new SimulatedDht(100)
  const keys = keysOf(500)
  const datastore = new MemoryDatastore()
  const clock = { now: 1_700_000_000_000 }
  const first = sweepOf({ dht, keys, datastore }, clock)
  await runUntil(first, 'a cycle has ended', () => first.sweep.stats.isWhole)
  dht.holders.clear()
  clock.now += 60 * HOUR
  const began = clock.now
  const second = sweepOf({ dht, keys, datastore }, clock)
  let ended = 0
  dht.onTell = () => {
    ended = clock.now
  }
  await runUntil(second, 'the cycle has ended', () => second.sweep.stats.isWhole)
  t.is(keys.filter(key => dht.coverage(key) < 20).length, 0)
  t.true(ended - began < HOUR)
})

test('in the place of servers that fail come the next closest', async t => {
  const dht = new SimulatedDht(400)
  const keys = keysOf(500)
  // they answer a look-up, and are gone when they are told
  const gone = new Set<string>()
  let number = 0
  dht.onTell = server => {
    if (number++ % 25 === 0) gone.add(server)
    if (gone.has(server)) throw new Error('it is gone')
  }
  const { sweep } = sweepOf({ dht, keys })
  await wholeCycle(sweep)
  for (const server of gone) dht.silent.add(server)
  const coverage = keys.map(key => dht.coverage(key))
  t.true(gone.size > 10)
  t.true(coverage.reduce((sum, count) => sum + count, 0) / keys.length > 19.5, `${coverage}`)
  t.like(sweep.stats, { cycle: { keys: 500, failedKeys: 0 } })
  t.true(sweep.stats.cycle.failedServers >= gone.size)
})

test('what no server takes is tried again, then counted, and the sweep goes on', async t => {
  const dht = new SimulatedDht(30)
  const keys = keysOf(40)
  let isBroken = true
  let tries = 0
  dht.onTell = () => {
    tries++
    if (isBroken) throw new Error('it is full')
  }
  const simulation = sweepOf({ dht, keys })
  await runUntil(simulation, 'the keys are given up', () => simulation.sweep.stats.total.failedKeys > 0)
  t.is(simulation.sweep.stats.total.failedKeys, 40)
  t.true(tries >= 3)
  isBroken = false
  const { sweep } = simulation
  await runUntil(simulation, 'the next cycle tells them', () => sweep.stats.isWhole && sweep.stats.total.keys >= 40)
  t.is(keys.filter(key => dht.coverage(key) < 20).length, 0)
})

test('a look-up that finds few of many servers is no reason to tell those few of everything', async t => {
  const dht = new SimulatedDht(300)
  const keys = keysOf(100)
  const simulation = sweepOf({ dht, keys })
  const { closest } = SimulatedDht.prototype
  let isBroken = true
  dht.closest = async function* (key, options) {
    let count = 0
    for await (const event of closest.call(dht, key, options)) if (!isBroken || count++ < 3) yield event
  }
  dht.onTell = () => {
    if (isBroken) t.fail('somebody was told')
  }
  await runUntil(simulation, 'it was given up', () => simulation.sweep.stats.total.failedKeys > 0)
  isBroken = false
  await runUntil(simulation, 'all are told', () => simulation.sweep.stats.isWhole)
  t.true(keys.every(key => dht.coverage(key) === 20))
})

test('without peers a sweep waits, and begins when one comes', async t => {
  const dht = new SimulatedDht(50)
  const { size } = dht
  dht.size = 0
  const simulation = sweepOf({ dht, keys: keysOf(20) })
  const over = new AbortController()
  const running = simulation.sweep.run(over.signal)
  await until('it waits', () => simulation.waits.length > 5)
  t.like(simulation.sweep.stats, { isOnline: false, total: { keys: 0 } })
  await simulation.sweep.now()
  t.is(dht.told, 0, 'who asks for a cycle does not wait for peers')
  dht.size = size
  await until('all are told', () => simulation.sweep.stats.total.keys === 20)
  t.true(simulation.sweep.stats.isOnline)
  over.abort()
  await running
})

test('a new key joins the sweep, and what is no longer listed leaves it', async t => {
  const dht = new SimulatedDht(30)
  const keys: Buffer[] = keysOf(10)
  const datastore = new MemoryDatastore()
  const simulation = sweepOf({ dht, keys, datastore })
  const { sweep } = simulation
  const over = new AbortController()
  const running = sweep.run(over.signal)
  await sweep.now()
  const [added] = keysOf(1, 'added') as [Buffer]
  await sweep.add([{ multihash: { bytes: added } } as never])
  const inStore = async () => {
    const found: string[] = []
    for await (const { multihash } of new ProvideKeys(datastore).within(0, 2 ** 24)) found.push(Buffer.from(multihash).toString('hex'))
    return found
  }
  t.true((await inStore()).includes(added.toString('hex')))
  keys.pop()
  await sweep.now()
  t.deepEqual((await inStore()).sort(), keys.map(key => key.toString('hex')).sort())
  keys.push(added)
  await sweep.now()
  t.is(dht.coverage(added), 20)
  t.is(sweep.stats.keys, 10)
  over.abort()
  await running
})

test('where the listing fails what was listed before is told again', async t => {
  const dht = new SimulatedDht(30)
  const keys: Buffer[] = keysOf(10)
  let isBroken = false
  const { sweep } = simulated({
    dht,
    datastore: new MemoryDatastore(),
    async *multihashes() {
      yield* keys.slice(0, 5)
      if (isBroken) throw new Error('a block is missing')
      yield* keys.slice(5)
    }
  })
  const over = new AbortController()
  const running = sweep.run(over.signal)
  await sweep.now()
  isBroken = true
  dht.holders.clear()
  await sweep.now()
  t.is(keys.filter(key => dht.coverage(key) === 20).length, 10)
  over.abort()
  await running
})

test('a sweep that is stopped tells nobody any more, and whoever waits for it learns that', async t => {
  const dht = new SimulatedDht(300)
  const { sweep } = sweepOf({ dht, keys: keysOf(2_000) })
  const over = new AbortController()
  const running = sweep.run(over.signal)
  const { promise: told, resolve } = Promise.withResolvers<void>()
  dht.onTell = async () => {
    resolve()
    // as a server that reads slowly
    await until('it is stopped', () => over.signal.aborted)
  }
  const waiting = t.throwsAsync(sweep.now(), { code: 'E_REPROVIDE_STOPPED' })
  await told
  over.abort()
  await running
  await waiting
  t.is(dht.records, 0)
})

test('servers are told so many at a time, and keys are held so many at a time', async t => {
  const dht = new SimulatedDht(60)
  let [running, most, mostKeys] = [0, 0, 0]
  dht.onTell = async (_, count) => {
    most = Math.max(most, ++running)
    mostKeys = Math.max(mostKeys, count)
    await new Promise(resolve => setImmediate(resolve))
    running--
  }
  const config = { 'Provide.DHT.MaxProvideConnsPerWorker': 4, 'Provide.DHT.KeystoreBatchSize': 100 }
  const { sweep } = sweepOf({ dht, keys: keysOf(2_000), config })
  await wholeCycle(sweep)
  t.is(most, 4)
  t.true(mostKeys <= 110, `${mostKeys} keys at a time`)
  t.is(sweep.stats.cycle.keys, 2_000)
})

test('keys that no server took count as failed, also where others of their region were told before', async t => {
  const dht = new SimulatedDht(12)
  const keys = keysOf(300)
  const { sweep } = sweepOf({ dht, keys, config: { 'Provide.DHT.KeystoreBatchSize': 100 } })
  dht.onTell = () => {
    if (dht.told >= 12) throw new Error('no more is taken')
  }
  await wholeCycle(sweep)
  const { cycle, isWhole } = sweep.stats
  t.true(cycle.keys > 0 && cycle.keys < 300, `${cycle.keys} were told`)
  t.is(cycle.keys + cycle.failedKeys, 300)
  t.false(isWhole)
})

test.serial('a sweep over fifty times as many keys holds no more', async t => {
  /** @param every - servers that are told from one look to the next */
  const held = async (count: number, every: number) => {
    const storage = new Storage(await temporaryFolder(t), storageSettings.parse({}))
    await storage.open()
    const dht = new SimulatedDht(200, () => false)
    let [most, tells] = [0, 0]
    dht.onTell = async () => {
      // what the database holds until it is written is bounded elsewhere, and gone in the meantime
      if (++tells % every === 0) most = Math.max(most, await settledMemory())
    }
    const { sweep } = simulated({
      dht,
      datastore: new RocksDatastore(storage),
      async *multihashes() {
        for (let i = 0; i < count; i++) yield multihashOf(`key ${i}`)
      },
      config: { 'Provide.DHT.KeystoreBatchSize': 1_000 }
    })
    await wholeCycle(sweep)
    const { keys } = sweep.stats.cycle
    await storage.close()
    t.is(keys, count)
    return most
  }
  const few = await held(2_000, 50)
  const many = await held(100_000, 500)
  // as multihashes alone they would be more
  t.true(many - few < 3, `${(many - few).toFixed(1)} MiB`)
})
