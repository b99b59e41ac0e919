/**
 * A pass of the reprovider over a store of a million blocks: what JavaScript holds more of than at its beginning, and its rate against listing the same
 * multihashes by the store alone. Telling costs nothing here, so that the rate is the node's own and no network's.
 */
import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RocksBlockstore } from '../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { heldMemory } from '../../test/helpers/memory.ts'
import { providerOf } from '../../test/plugins/provide/provider.ts'
import { benchFolder } from '../support/node.ts'
import { report, seconds } from '../support/report.ts'

const COUNT = 1_000_000
const AT_A_TIME = 1000
/** Blocks between two looks at the memory. */
const LOOK_EVERY = 50_000

const folder = await benchFolder()
const storage = new Storage(join(folder, 'repo'), storageSettings.parse({}))
await storage.open()
const store = new RocksBlockstore(storage)
for (let at = 0; at < COUNT; at += AT_A_TIME) {
  const some = Array.from({ length: AT_A_TIME }, (_, i) => Buffer.from(String(at + i)))
  await store.putAll(some.map(bytes => ({ multihash: Buffer.concat([Buffer.from([0x12, 32]), hash('sha256', bytes, 'buffer')]), bytes })))
}
await store.sync()

let told = 0
let most = 0
const provider = providerOf(store, async function* () {
  yield { type: 'asking', peer: 'somebody' }
  if (++told % LOOK_EVERY === 0) most = Math.max(most, heldMemory())
})

try {
  let listed = 0
  const listing = await seconds(async () => {
    for await (const _ of store.listMultihashes()) listed++
  })
  const before = heldMemory()
  const passing = await seconds(() => provider.reprovide())
  if (told !== listed || told !== COUNT) throw new Error(`${told} of ${listed} blocks were told of`)
  report({
    name: 'provide: a pass over a million blocks against listing them',
    measured: COUNT / passing,
    against: COUNT / listing,
    unit: 'blocks/s',
    atLeast: 0.1
  })
  report({ name: 'provide: growth meanwhile against the aim', measured: Math.max(0.1, most - before), against: 8, unit: 'MiB', atMost: 1 })
} finally {
  await storage.close()
  await rm(folder, { recursive: true })
}
process.exit()
