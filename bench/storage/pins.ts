/** `pin/add` and `pin/ls` over the RPC, against what the datastore itself takes for the same keys, and a command that does nothing. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { PinRecord } from '../../plugins/pins/store/record.ts'
import { PinTable } from '../../plugins/pins/store/table.ts'
import { RocksDatastore } from '../../plugins/storage-rocksdb/database/datastore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { type BenchNode, benchFolder, startNode } from '../support/node.ts'
import { median, report, seconds } from '../support/report.ts'

const PINS = 5000
const MANY = Number(process.argv[2] ?? 1_000_000)
const AT_A_TIME = 16
const SETTINGS = storageSettings.parse({})

const leaf = (i: number) => Buffer.from(`a block of its own, number ${i}\n`.repeat(20))
const cidOf = (bytes: Uint8Array) => CID.createV1(0x55, create(0x12, createHash('sha256').update(bytes).digest()))
const cids = Array.from({ length: PINS }, (_, i) => cidOf(leaf(i)))

async function pool(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
}

async function onDatastore<T>(folder: string, work: (datastore: RocksDatastore) => Promise<T>): Promise<T> {
  const storage = new Storage(folder, SETTINGS)
  await storage.open()
  try {
    return await work(new RocksDatastore(storage))
  } finally {
    await storage.close()
  }
}

const block = (i: number) => ({
  boundary: 'b',
  chunks: (async function* () {
    yield Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="data"; filename="b"\r\n\r\n'),
      leaf(i),
      Buffer.from('\r\n--b--\r\n')
    ])
  })()
})

/** Milliseconds of one call, the middle of several. */
async function medianOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let i = 0; i < times; i++) all.push((await seconds(work)) * 1000)
  return median(all)
}

async function addAndList(node: BenchNode): Promise<void> {
  const bare = await onDatastore(await benchFolder(), async datastore => {
    const added = await seconds(() =>
      pool(PINS, async i => {
        const record = new PinRecord('recursive', cids[i]!, '')
        const batch = datastore.batch()
        batch.put(record.key, record.value)
        await batch.commit()
        await datastore.sync()
      })
    )
    const listed = await medianOf(5, async () => {
      for await (const _ of datastore.query({ prefix: '/pins/recursive/' }));
    })
    return { added, listed }
  })
  await pool(PINS, i => node.post('block/put', block(i)))
  const added = await seconds(() => pool(PINS, i => node.post(`pin/add?arg=${cids[i]}`)))
  report({ name: 'pin/add of single blocks', measured: PINS / added, against: PINS / bare.added, unit: '/s', atLeast: 0.1 })
  const first = (await seconds(() => node.post('pin/ls?type=recursive', undefined, () => {}))) * 1000
  report({ name: `the first pin/ls of ${PINS}`, measured: first, against: bare.listed, unit: 'ms', atMost: 1.5 })
  const listed = await medianOf(9, () => node.post('pin/ls?type=recursive', undefined, () => {}))
  report({ name: `pin/ls of ${PINS}`, measured: listed, against: bare.listed, unit: 'ms', atMost: 1 })
  const version = await medianOf(301, () => node.post('version'))
  let i = 0
  const one = await medianOf(301, () => node.post(`pin/ls?arg=${cids[i++]}`))
  report({ name: 'pin/ls of one, against version', measured: one, against: version, unit: 'ms', atMost: 2 })
}

/** Milliseconds until the first line of a list of `count` pins and until its end, and the most MiB that the node took meanwhile. */
async function listMany(count: number): Promise<{ firstLine: number; took: number; most: number; idle: number }> {
  const repo = join(await benchFolder(), 'repo')
  await (await startNode(repo)).stop()
  await onDatastore(repo, async datastore => {
    const table = new PinTable(datastore)
    for (let at = 0; at < count; at += 10_000) {
      await table.change({
        put: Array.from({ length: 10_000 }, (_, i) => new PinRecord('recursive', cidOf(Buffer.from(`${at + i}`)), ''))
      })
    }
  })
  const node = await startNode(repo)
  try {
    const idle = await node.memory()
    let lines = 0
    let firstLine = 0
    let most = 0
    const began = performance.now()
    const watch = setInterval(async () => {
      most = Math.max(most, await node.memory())
    }, 100)
    await node.post('pin/ls?type=recursive&stream=true', undefined, chunk => {
      firstLine ||= performance.now() - began
      for (const byte of chunk) if (byte === 10) lines++
    })
    clearInterval(watch)
    const took = performance.now() - began
    if (lines !== count + 1) throw new Error(`${lines} lines`)
    console.log(`${count} pins: ${Math.round((lines / took) * 1000)} lines/s, first line after ${firstLine.toFixed(1)} ms`)
    return { firstLine, took, most, idle }
  } finally {
    await node.stop()
  }
}

const node = await startNode()
try {
  await addAndList(node)
} finally {
  await node.stop()
}
/** The first line comes at once and memory stays flat, however many pins there are. */
const few = await listMany(MANY / 10)
const many = await listMany(MANY)
report({ name: 'first line', measured: many.firstLine, against: many.took, unit: 'ms', atMost: 0.05 })
report({ name: `memory while ${MANY} are listed`, measured: many.most, against: few.most, unit: 'MiB', atMost: 1.25 })
report({ name: 'the same against rest', measured: many.most, against: many.idle, unit: 'MiB', atMost: 2 })
process.exit()
