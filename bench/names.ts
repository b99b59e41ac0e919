/** `name/publish` and `name/resolve` over the RPC, against what the datastore takes for the records alone, and a command that does nothing. */
import { Key } from 'interface-datastore'
import { RocksDatastore } from '../plugins/storage-rocksdb/datastore.ts'
import { storageSettings } from '../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../plugins/storage-rocksdb/storage.ts'
import { benchFolder, startNode } from './support/node.ts'
import { report, seconds } from './support/report.ts'

const TIMES = 301
/** About what a record with both signatures takes, in bytes. */
const RECORD = new Uint8Array(400).fill(7)

/** Milliseconds of one call, the middle of several. */
async function median(work: (i: number) => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let i = 0; i < TIMES; i++) all.push((await seconds(() => work(i))) * 1000)
  return all.sort((a, b) => a - b)[TIMES >> 1]!
}

async function bareRecords(): Promise<number> {
  const storage = new Storage(await benchFolder(), storageSettings.parse({}))
  await storage.open()
  try {
    const datastore = new RocksDatastore(storage)
    return await median(async i => {
      for (const folder of ['published', 'known']) {
        await datastore.put(new Key(`/${folder}/${i}`), RECORD)
        await datastore.sync()
      }
    })
  } finally {
    await storage.close()
  }
}

const bare = await bareRecords()
const node = await startNode()
try {
  const version = await median(() => node.post('version'))
  const publish = (i: number) => node.post(`name/publish?arg=/ipfs/bafkqaaa/${i}&resolve=false&allow-offline=true`)
  const published = await median(publish)
  report({ name: 'name/publish, one after the other', measured: published, against: bare + version, unit: 'ms', limit: 4, better: 'less' })
  const resolved = await median(() => node.post('name/resolve'))
  report({ name: 'name/resolve, against version', measured: resolved, against: version, unit: 'ms', limit: 4, better: 'less' })
} finally {
  await node.stop()
}
