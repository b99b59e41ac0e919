/** `repo/gc` of a million blocks over the RPC while others read: what it removes a second, what the reads feel of it, the memory it takes. */
import 'reflect-metadata'
import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import type { StoredBlock } from '../core/index.ts'
import { PinRecord } from '../plugins/pins/record.ts'
import { PinTable } from '../plugins/pins/table.ts'
import { RocksBlockstore } from '../plugins/storage-rocksdb/blockstore.ts'
import { RocksDatastore } from '../plugins/storage-rocksdb/datastore.ts'
import { storageSettings } from '../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../plugins/storage-rocksdb/storage.ts'
import { type BenchNode, benchFolder, startNode } from './support/node.ts'
import { report, seconds } from './support/report.ts'

const BLOCKS = Number(process.argv[2] ?? 1_000_000)
const GARBAGE = BLOCKS / 10
/** Links of a node, as `add` makes them. */
const WIDTH = 174
const RAW = 0x55
const READERS = 4
/** What the reference removes a second, of some 12,000. */
const REFERENCE = 6960

const leaf = (name: string) => Buffer.from(name.padEnd(100, '.'))
const cidOf = (code: number, bytes: Uint8Array) => CID.createV1(code, create(0x12, hash('sha256', bytes, 'buffer')))

/** Leaves below nodes below one root, and leaves that nothing links to. */
function* blocks(): Generator<{ cid: CID; bytes: Uint8Array }> {
  const made = (code: number, bytes: Uint8Array) => ({ cid: cidOf(code, bytes), bytes })
  for (let i = 0; i < GARBAGE; i++) yield made(RAW, leaf(`garbage ${i}`))
  let links: CID[] = []
  for (let i = 0; i < BLOCKS - GARBAGE; i++) {
    const block = made(RAW, leaf(`kept ${i}`))
    links.push(block.cid)
    yield block
  }
  while (links.length > 1) {
    const above: CID[] = []
    for (let at = 0; at < links.length; at += WIDTH) {
      const Links = links.slice(at, at + WIDTH).map(Hash => ({ Hash, Name: '', Tsize: 100 }))
      const block = made(dagPb.code, dagPb.encode({ Links }))
      above.push(block.cid)
      yield block
    }
    links = above
  }
}

/** A repo that a node made, and these blocks in it, the last of which is pinned. */
async function filled(): Promise<string> {
  const repo = join(await benchFolder(), 'repo')
  await (await startNode(repo)).stop()
  const storage = new Storage(repo, storageSettings.parse({}))
  await storage.open()
  const store = new RocksBlockstore(storage)
  let batch: StoredBlock[] = []
  let last: CID | undefined
  for (const { cid, bytes } of blocks()) {
    last = cid
    if (batch.push({ multihash: cid.multihash.bytes, bytes }) < 1024) continue
    await store.putAll(batch)
    batch = []
  }
  await store.putAll(batch)
  await new PinTable(new RocksDatastore(storage)).change({ put: [new PinRecord('recursive', last!, '')] })
  await storage.close()
  return repo
}

/** Milliseconds that reads of single blocks take until `until` resolves, in order. */
async function reading(node: BenchNode, until: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  let next = 0
  const reader = async () => {
    while (!isOver) {
      const cid = cidOf(RAW, leaf(`kept ${(next++ * 7919) % (BLOCKS - GARBAGE)}`))
      const began = performance.now()
      await node.post(`block/get?arg=${cid}`)
      times.push(performance.now() - began)
    }
  }
  await Promise.all([over, ...Array.from({ length: READERS }, reader)])
  return times.sort((a, b) => a - b)
}

const at = (sorted: readonly number[], part: number) => sorted[Math.floor(sorted.length * part)] ?? 0

async function collect(node: BenchNode): Promise<number> {
  let lines = 0
  await node.post('repo/gc', undefined, chunk => {
    for (const byte of chunk) if (byte === 10) lines++
  })
  return lines
}

const repo = await filled()
const node = await startNode(repo)
try {
  const alone = await reading(node, new Promise(resolve => setTimeout(resolve, 10_000)))
  const idle = await node.memory()
  let most = idle
  const watch = setInterval(async () => {
    most = Math.max(most, await node.memory())
  }, 50)
  let removed = 0
  let took = 0
  const collecting = seconds(async () => {
    removed = await collect(node)
  }).then(time => {
    took = time
  })
  const beside = await reading(node, collecting)
  clearInterval(watch)
  if (removed !== GARBAGE) throw new Error(`${removed} blocks were removed, not ${GARBAGE}`)
  console.log(
    `gc of ${BLOCKS} blocks, ${GARBAGE} of them garbage, beside reads: ${took.toFixed(1)} s, ${Math.round(removed / took)} removed/s`
  )
  const reads = (times: readonly number[]) => `median ${at(times, 0.5).toFixed(2)} ms, 99th ${at(times, 0.99).toFixed(2)} ms`
  console.log(`reads: ${reads(alone)}; beside gc: ${reads(beside)}, the longest ${beside.at(-1)!.toFixed(1)} ms`)
  report({ name: '99th of reads beside gc', measured: at(beside, 0.99), against: at(alone, 0.99), unit: 'ms', limit: 6, better: 'less' })
  report({ name: 'growth meanwhile against the aim', measured: most - idle, against: 128, unit: 'MiB', limit: 1, better: 'less' })
  const again = await seconds(() => collect(node))
  console.log(
    `gc of ${BLOCKS - GARBAGE} blocks without garbage: ${again.toFixed(1)} s, ${Math.round((BLOCKS - GARBAGE) / again)} looked at/s`
  )
} finally {
  await node.stop()
}

/** As the reference was measured: everything is garbage but for a little. */
const small = await startNode()
try {
  const boundary = 'b'
  const parts = Array.from(
    { length: 12_000 },
    (_, i) => `--b\r\nContent-Disposition: form-data; name="data"; filename="b"\r\n\r\n${`garbage ${i}`.padEnd(1024)}\r\n`
  )
  await small.post('block/put', {
    boundary,
    chunks: (async function* () {
      for (const part of parts) yield Buffer.from(part)
      yield Buffer.from('--b--\r\n')
    })()
  })
  const took = await seconds(() => collect(small))
  report({
    name: 'gc of 12,000 garbage blocks',
    measured: 12_000 / took,
    against: REFERENCE,
    unit: 'blocks/s',
    limit: 1,
    better: 'more'
  })
} finally {
  await small.stop()
  await rm(dirname(repo), { recursive: true })
}
process.exit()
