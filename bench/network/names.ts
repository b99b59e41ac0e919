/**
 * `name/publish`, `name/resolve`, `key/gen` and `key/list` over the RPC, against what the disk takes for records and keys alone and a command that
 * does nothing; and the records of 1,000 keys made anew, in time and memory.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Key } from 'interface-datastore'
import type { NamedKey } from '../../core/index.ts'
import { nowInNanoseconds } from '../../core/ipns/index.ts'
import { generateIdentity, sign } from '../../core/keys/index.ts'
import { EMPTY_FOLDER, LIFETIME, Publisher } from '../../plugins/name/publish/publisher.ts'
import { RecordStore } from '../../plugins/name/records.ts'
import { RecordCache } from '../../plugins/name/resolve/cache.ts'
import { Routes } from '../../plugins/name/routes.ts'
import { RocksDatastore } from '../../plugins/storage-rocksdb/database/datastore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { benchFolder, startNode } from '../support/node.ts'
import { MiB, median, report, seconds } from '../support/report.ts'

const TIMES = 301
const KEYS = 1000
const ROUNDS = 5
/** Ratios that were measured, with as much again as 0.7 leaves. */
const LIMITS = { publish: 4, resolve: 1.7, gen: 2.4, list: 4.7, anew: 9.6, memory: 1.5 }
/** About what a record with both signatures takes, in bytes. */
const RECORD = new Uint8Array(400).fill(7)

/** Milliseconds of one call, the middle of several. */
async function medianOf(work: (i: number) => Promise<unknown>, times = TIMES): Promise<number> {
  const all: number[] = []
  for (let i = 0; i < times; i++) all.push((await seconds(() => work(i))) * 1000)
  return median(all)
}

async function withDatastore<T>(work: (datastore: RocksDatastore) => Promise<T>): Promise<T> {
  const storage = new Storage(await benchFolder(), storageSettings.parse({}))
  await storage.open()
  try {
    return await work(new RocksDatastore(storage))
  } finally {
    await storage.close()
  }
}

function bareRecords(): Promise<number> {
  return withDatastore(datastore =>
    medianOf(async i => {
      for (const folder of ['published', 'known']) {
        await datastore.put(new Key(`/${folder}/${i}`), RECORD)
        await datastore.sync()
      }
    })
  )
}

/** Makes the records of many keys anew, several times. @returns milliseconds of a record, and resident memory after the first and the last time */
function republishing(): Promise<{ readonly each: number; readonly before: number; readonly after: number }> {
  return withDatastore(async datastore => {
    const pairs = new Map<string, { key: NamedKey; privateKey: Uint8Array }>()
    for (let i = 0; i < KEYS; i++) {
      const { privateKey, ...identity } = await generateIdentity()
      pairs.set(`key-${i}`, { key: { name: `key-${i}`, ...identity }, privateKey })
    }
    const log = { debug() {}, warn() {}, error() {}, info() {} } as never
    const publisher = new Publisher({
      keys: {
        find: async name => pairs.get(name)?.key,
        list: async () => [...pairs.values()].map(({ key }) => key),
        sign: async (name, bytes) => sign(pairs.get(name)!.privateKey, bytes)
      },
      records: new RecordStore(datastore, nowInNanoseconds),
      cache: new RecordCache(128, undefined, nowInNanoseconds),
      routes: new Routes(log),
      log,
      routeTimeout: 1000,
      now: nowInNanoseconds
    })
    for (const key of pairs.keys()) await publisher.publish(EMPTY_FOLDER, { key, allowOffline: true })
    const taken: number[] = []
    const memory: number[] = []
    for (let i = 0; i < ROUNDS; i++) {
      taken.push((await seconds(() => publisher.republish(LIFETIME))) * 1000)
      memory.push(process.memoryUsage.rss() / MiB)
    }
    return { each: median(taken) / KEYS, before: memory[0]!, after: memory.at(-1)! }
  })
}

const bare = await bareRecords()
const anew = await republishing()
report({ name: `records of ${KEYS} keys made anew, of each`, measured: anew.each, against: bare, unit: 'ms', atMost: LIMITS.anew })
report({
  name: `memory after ${ROUNDS} times, against once`,
  measured: anew.after,
  against: anew.before,
  unit: 'MiB',
  atMost: LIMITS.memory
})
const node = await startNode()
try {
  const version = await medianOf(() => node.post('version'))
  const publish = (i: number) => node.post(`name/publish?arg=/ipfs/bafkqaaa/${i}&resolve=false&allow-offline=true`)
  const published = await medianOf(publish)
  const unit = 'ms'
  report({ name: 'name/publish, one after the other', measured: published, against: bare + version, unit, atMost: LIMITS.publish })
  const resolved = await medianOf(() => node.post('name/resolve'))
  report({ name: 'name/resolve, against version', measured: resolved, against: version, unit, atMost: LIMITS.resolve })
  const made = await medianOf(i => node.post(`key/gen?arg=bench-${i}`))
  report({ name: 'key/gen of ed25519, against publishing', measured: made, against: published, unit, atMost: LIMITS.gen })
  for (let i = TIMES; i < KEYS; i++) await node.post(`key/gen?arg=bench-${i}`)
  const listed = await medianOf(() => node.post('key/list'), 21)
  const folder = join(node.repo, 'keystore')
  const read = await medianOf(async () => {
    for (const file of await readdir(folder)) await readFile(join(folder, file))
  }, 21)
  report({ name: `key/list of ${KEYS}, against reading the files one by one`, measured: listed, against: read, unit, atMost: LIMITS.list })
} finally {
  await node.stop()
}
