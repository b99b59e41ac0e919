/**
 * What the block store does by itself, without hashing or HTTP: `node dist/bench/storage/store.js [rocksdb|memory] [folder]`.
 * Prints one line a measure. Figures of machines differ; compare runs on one.
 */
import { createHash, randomFillSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastBlockstore } from '../../core/blocks/blockstore.ts'
import { MemoryBlockstore } from '../../plugins/storage-memory/blockstore.ts'
import { RocksBlockstore } from '../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'

const MIB = 1 << 20
const [kind = 'rocksdb', parent = tmpdir()] = process.argv.slice(2)
const folder = await mkdtemp(join(parent, 'bench-store-'))
const storage = new Storage(folder, storageSettings.parse({}))
if (kind === 'rocksdb') await storage.open()
const store: FastBlockstore = kind === 'memory' ? new MemoryBlockstore() : new RocksBlockstore(storage)

/** Distinct keys without hashing what they stand for. */
function key(seed: number, i: number): Uint8Array {
  const multihash = new Uint8Array(34)
  multihash.set([0x12, 32])
  multihash.set(createHash('sha256').update(`${seed} ${i}`).digest(), 2)
  return multihash
}

const noise = randomFillSync(new Uint8Array(4 * MIB))
function block(i: number, size: number): Uint8Array {
  const at = (i * 4099) % (noise.length - size)
  return noise.slice(at, at + size)
}

interface Measure {
  readonly callers: number
  readonly count: number
  /** Bytes of a block, where the rate is to be given in MiB/s as well. */
  readonly size?: number
}

async function measure(name: string, { callers, count, size }: Measure, job: (i: number) => Promise<unknown>): Promise<void> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let next = 0
  const caller = async () => {
    while (next < count) await job(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const rate = `${Math.round(count / seconds).toLocaleString('en')}/s`
  const mib = size === undefined ? '' : `${Math.round((count * size) / MIB / seconds)} MiB/s`
  const used = `${((user + system) / 1e6 / seconds).toFixed(2)} cpu`
  console.log(
    name.padEnd(34),
    String(callers).padStart(3),
    rate.padStart(12),
    mib.padStart(12),
    used.padStart(10),
    `${(process.memoryUsage.rss() / MIB).toFixed(0)} MiB rss`
  )
}

const LARGE = 262_144
const SMALL = 1024

await measure('put 256 KiB', { callers: 16, count: 4096, size: LARGE }, i => store.putBytes(key(1, i), block(i, LARGE)))
await measure('put 256 KiB, there already', { callers: 16, count: 4096, size: LARGE }, i => store.putBytes(key(1, i), block(i, LARGE)))
await measure('put 256 KiB', { callers: 1, count: 512, size: LARGE }, i => store.putBytes(key(2, i), block(i, LARGE)))
await measure('sync what was put', { callers: 1, count: 1 }, () => store.sync())
for (const callers of [1, 16])
  await measure('get 256 KiB', { callers, count: 4096, size: LARGE }, i => store.getBytes(key(1, (i * 7) % 4096)))
for (const callers of [1, 16])
  await measure('put 1 KiB', { callers, count: 20_000 * (callers > 1 ? 4 : 1) }, i => store.putBytes(key(3 + callers, i), block(i, SMALL)))
await measure('put 1 KiB, in groups of 64', { callers: 1, count: 1000 }, i =>
  store.putAll(Array.from({ length: 64 }, (_, n) => ({ multihash: key(99, i * 64 + n), bytes: block(n, SMALL) })))
)
for (const callers of [1, 16])
  await measure('get 1 KiB', { callers, count: 20_000 * (callers > 1 ? 4 : 1) }, i => store.getBytes(key(19, (i * 7) % 80_000)))
for (const callers of [1, 16])
  await measure('has, not there', { callers, count: 20_000 * (callers > 1 ? 4 : 1) }, i => store.hasMultihash(key(5, i)))
await measure('put 100 bytes and sync', { callers: 1, count: 500 }, i => store.putBytes(key(6, i), block(i, 100)).then(() => store.sync()))
await measure('put 100 bytes and sync', { callers: 16, count: 5000 }, i =>
  store.putBytes(key(7, i), block(i, 100)).then(() => store.sync())
)
let listed = 0
await measure('list all keys', { callers: 1, count: 1 }, async () => {
  for await (const _ of store.listMultihashes()) listed++
})
await measure('total of all blocks', { callers: 1, count: 1 }, () => store.totals())
await measure('delete 1 KiB', { callers: 1, count: 80 }, i =>
  store.deleteAll(Array.from({ length: 1000 }, (_, n) => key(19, i * 1000 + n)))
)
await measure('delete 256 KiB', { callers: 1, count: 4 }, i =>
  store.deleteAll(Array.from({ length: 1024 }, (_, n) => key(1, i * 1024 + n)))
)
console.log(`${listed} keys listed`)
if (kind === 'rocksdb') {
  await measure('close', { callers: 1, count: 1 }, () => storage.close())
  const again = new Storage(folder, storage.options)
  await measure('open', { callers: 1, count: 1 }, () => again.open())
  await again.close()
}
await rm(folder, { recursive: true })
