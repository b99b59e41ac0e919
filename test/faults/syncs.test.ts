/** What is durable once does not reach the disk twice. */
import { post, rawCid } from '../crash/support/rpc.ts'
import { type Disk, onFaultyDisk } from './disk.ts'

const small = (n: number) => new Uint8Array(Buffer.from(`a small block ${n}`))

/** The journal and RocksDB's log, one of which has what was written last: where the disk is slow, the journal is passed over. */
const LOGS = /^(journal|db)\/\d+\.(journal|log)$/

/** The logs that were synced meanwhile. */
async function syncedBy(disk: Disk, work: () => Promise<unknown>): Promise<string[]> {
  const before = disk.records().length
  await work()
  return disk
    .records()
    .slice(before)
    .filter(({ op, path, result }) => op === 'sync' && result === 0 && LOGS.test(path))
    .map(({ path }) => path)
}

const cases: Readonly<Record<string, (url: string, n: number) => Promise<unknown>>> = {
  'a pinned block that lies in the database': (url, n) => post(url, 'block/put?pin=true', [['data', small(n)]]),
  'a pinned file of one small block': (url, n) => post(url, 'add?raw-leaves=true', [['file', small(n)]]),
  'a pin of a small block that is there': async (url, n) => post(url, `pin/add?arg=${await rawCid(small(n - 1))}&name=${n}`),
  'the publication of a name': async (url, n) =>
    post(url, `name/publish?arg=/ipfs/${await rawCid(small(n))}&allow-offline=true&resolve=false`),
  'a change of the mutable tree': (url, n) => post(url, `files/mkdir?arg=/${n}`)
}

for (const [what, work] of Object.entries(cases))
  onFaultyDisk(`${what} takes one sync of a log`, async (t, disk) => {
    const node = await disk.start()
    // the first sync takes what the start has written, the second the name of the file
    for (const n of [0, 1, 2]) {
      await post(node.url, 'block/put?pin=true', [['data', small(n)]])
      if (n > 0) await work(node.url, n)
    }
    const synced = await syncedBy(disk, () => work(node.url, 3))
    t.is(synced.length, 1, synced.join(', '))
  })
