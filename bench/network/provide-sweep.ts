/**
 * A day of the sweep: a million CIDs of a store, told to a DHT of 10,000 servers in memory on a clock that is wound forward. What the node does is the node's
 * own: listing, keys in the datastore, look-ups, which server gets which key, and the messages as they go on the wire. What the servers take is left out.
 */
import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { limitOldGeneration } from '../../host/cli/memory/old-generation.ts'
import { YoungGeneration } from '../../host/cli/memory/young-generation.ts'
import { addProviderPieces, Pieces } from '../../plugins/routing/dht/message.ts'
import { loadLibraries } from '../../plugins/routing/libraries.ts'
import { RocksBlockstore } from '../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { RocksDatastore } from '../../plugins/storage-rocksdb/database/datastore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { collectGarbage } from '../../test/helpers/memory.ts'
import { SimulatedDht, simulated } from '../../test/plugins/provide/simulated.ts'
import { benchFolder } from '../support/node.ts'
import { MiB, report } from '../support/report.ts'

const COUNT = 1_000_000
const SERVERS = 10_000
const HOUR = 3_600_000
const AT_A_TIME = 1000
/** So long a wait lets a daemon come to rest, in milliseconds. */
const QUIET = 60_000
/** One key of so many is followed: which of the servers closest to it have it. */
const SAMPLE = 500
/** Addresses of a node that others reach over two transports, by IPv4 and IPv6. */
const ADDRESSES = [
  '/ip4/192.0.2.1/tcp/4001',
  '/ip4/192.0.2.1/udp/4001/quic-v1',
  '/ip6/2001:db8::1/tcp/4001',
  '/ip6/2001:db8::1/udp/4001/quic-v1'
]
const PROVIDER = { id: '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG', addresses: ADDRESSES }

const multihash = (number: number) => Buffer.concat([Buffer.from([0x12, 32]), hash('sha256', String(number), 'buffer')])
const isFollowed = (bytes: Uint8Array) => ((bytes[32]! << 8) | bytes[33]!) % SAMPLE === 0

// as in a daemon
new YoungGeneration()
limitOldGeneration()

const folder = await benchFolder()
const storage = new Storage(join(folder, 'repo'), storageSettings.parse({}))
await storage.open()
const store = new RocksBlockstore(storage)
for (let at = 0; at < COUNT; at += AT_A_TIME)
  await store.putAll(
    Array.from({ length: AT_A_TIME }, (_, i) => Buffer.from(String(at + i))).map((bytes, i) => ({ multihash: multihash(at + i), bytes }))
  )
await store.sync()

const libraries = await loadLibraries()
const dht = new SimulatedDht(SERVERS, isFollowed)
const pieces = new Pieces()
let [bytes, most, longest] = [0, 0, 0]
let last = performance.now()
const encoded = dht.tell.bind(dht)
dht.tell = async (server, keys, options) => {
  const used: Uint8Array[] = []
  for (const piece of addProviderPieces(keys, PROVIDER, libraries, () => pieces.take(used))) {
    bytes += piece.length
    // as the messenger does between two pieces
    await immediate()
  }
  pieces.giveBack(used)
  await encoded(server, keys, options)
}
const look = setInterval(() => {
  const now = performance.now()
  longest = Math.max(longest, now - last - 20)
  last = now
  most = Math.max(most, process.memoryUsage().rss)
}, 20)
const { sweep, clock } = simulated({
  dht,
  datastore: new RocksDatastore(storage),
  multihashes: signal => store.listMultihashes({ signal }),
  // a daemon collects garbage when it has had nothing to do for some seconds
  onWait(milliseconds) {
    if (milliseconds >= QUIET) collectGarbage()
  }
})

/** What was used until the sweep has come so far. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise(resolve => setTimeout(resolve, 5))
}

try {
  collectGarbage()
  await new Promise(resolve => setTimeout(resolve, 2_000))
  collectGarbage()
  const over = new AbortController()
  const base = process.memoryUsage().rss
  most = base
  longest = 0
  const running = sweep.run(over.signal)
  // the first cycle tells all at once, the second in half an interval; the third is what every day is like
  const told = (cycles: number) => () => sweep.stats.total.keys >= cycles * COUNT
  const atOnce = clock.now
  await until(told(1))
  console.log(
    `all at once, by the clock of the machine: ${(sweep.stats.total.time / 1000).toFixed(0)} s, by that of the sweep: ${clock.now - atOnce} ms`
  )
  await until(told(2))
  const before = {
    used: process.cpuUsage(),
    time: dht.time,
    lookups: dht.lookups,
    asked: dht.asked,
    told: dht.told,
    records: dht.records,
    bytes
  }
  const from = clock.now
  await until(told(3))
  const { user, system } = process.cpuUsage(before.used)
  const used = (user + system) / 1e6 - (dht.time - before.time) / 1e3
  const hours = (clock.now - from) / HOUR
  over.abort()
  await running
  const { cycle } = sweep.stats
  const coverage: number[] = []
  for (let i = 0; i < COUNT; i++) if (isFollowed(multihash(i))) coverage.push(dht.coverage(multihash(i)))
  const average = coverage.reduce((sum, count) => sum + count, 0) / coverage.length
  console.log(`a cycle of ${hours.toFixed(1)} hours: ${cycle.regions} regions of ${(cycle.servers / cycle.regions).toFixed(1)} servers`)
  console.log(`look-ups: ${dht.lookups - before.lookups}, which asked ${dht.asked - before.asked} times`)
  console.log(
    `servers told: ${dht.told - before.told} times, of ${dht.records - before.records} records, in ${((bytes - before.bytes) / MiB).toFixed(0)} MiB`
  )
  console.log(
    `coverage: ${average.toFixed(3)} of the 20 closest servers on average, ${Math.min(...coverage)} at least, of ${coverage.length} keys`
  )
  console.log(`the longest wait of the event loop: ${longest.toFixed(0)} ms`)
  report({
    name: 'sweep: the processor of a core for a million CIDs against the aim',
    measured: (used / (hours * 3600)) * 100,
    against: 2,
    unit: '%',
    atMost: 1
  })
  report({ name: 'sweep: growth of resident memory against the aim', measured: (most - base) / MiB, against: 64, unit: 'MiB', atMost: 1 })
  report({
    name: 'sweep: of the 20 servers closest to a key, those that have it',
    measured: average,
    against: 20,
    unit: 'servers',
    atLeast: 0.99
  })
  report({
    name: 'sweep: look-ups against one for each CID',
    measured: dht.lookups - before.lookups,
    against: COUNT,
    unit: 'look-ups',
    atMost: 0.01
  })
} finally {
  clearInterval(look)
  await storage.close()
  await rm(folder, { recursive: true })
}
process.exit()
