/** `pin/add` of a graph of 100,000 nodes over the RPC, against what reading as many blocks takes the store by itself; memory beside it. */
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RocksBlockstore } from '../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { graphOf, repoWith } from '../support/graph.ts'
import { startNode } from '../support/node.ts'
import { report, seconds } from '../support/report.ts'

const LEAVES = 100_000
const AT_A_TIME = 64

let nodes = 0
const counted = function* () {
  for (const block of graphOf(LEAVES)) {
    nodes++
    yield block
  }
}
const { repo, last } = await repoWith(counted())

/** Reads every block once, in the order of the graph. */
async function readAll(): Promise<number> {
  const storage = new Storage(repo, storageSettings.parse({}))
  await storage.open()
  const store = new RocksBlockstore(storage)
  const multihashes = [...graphOf(LEAVES)].map(({ cid }) => cid.multihash.bytes)
  const took = await seconds(async () => {
    for (let at = 0; at < multihashes.length; at += AT_A_TIME) await Promise.all(await store.readAll(multihashes.slice(at, at + AT_A_TIME)))
  })
  await storage.close()
  return took
}

const alone = await readAll()
const node = await startNode(repo)
try {
  const idle = await node.memory()
  let most = idle
  const watch = setInterval(async () => {
    most = Math.max(most, await node.memory())
  }, 50)
  const took = await seconds(() => node.post(`pin/add?arg=${last}`))
  clearInterval(watch)
  console.log(`pin/add of ${nodes} nodes: ${took.toFixed(2)} s`)
  report({ name: 'pin/add of a graph', measured: nodes / took, against: nodes / alone, unit: 'nodes/s', atLeast: 0.3 })
  report({ name: 'growth meanwhile against the aim', measured: most - idle, against: 64, unit: 'MiB', atMost: 1 })
} finally {
  await node.stop()
  await rm(dirname(repo), { recursive: true })
}
process.exit()
