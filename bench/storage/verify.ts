/** `repo/verify` and `repo/stat` over the RPC, against reading and hashing the same blocks with nothing around; and the memory it takes. */
import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RocksBlockstore } from '../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { storageSettings } from '../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../plugins/storage-rocksdb/storage.ts'
import { benchFolder, chunksOf, startNode } from '../support/node.ts'
import { MiB, report, seconds } from '../support/report.ts'

const AT_A_TIME = 64

interface Repo {
  readonly name: string
  readonly count: number
  /** Bytes of a block. */
  readonly size: number
}

const SMALL: Repo = { name: 'blocks of 1 KiB', count: 50_000, size: 1024 }
const LARGE: Repo = { name: 'blocks of 256 KiB', count: 4_000, size: 262_144 }
const SHORT: Repo = { name: 'blocks of 6 KiB', count: 20_000, size: 6_144 }

async function withStore<T>(repo: string, work: (store: RocksBlockstore) => Promise<T>): Promise<T> {
  const storage = new Storage(repo, storageSettings.parse({}))
  await storage.open()
  try {
    return await work(new RocksBlockstore(storage))
  } finally {
    await storage.close()
  }
}

/** A repo that a node made, and these blocks in it. */
async function filled({ count, size }: Repo): Promise<string> {
  const repo = join(await benchFolder(), 'repo')
  await (await startNode(repo)).stop()
  await withStore(repo, async store => {
    let batch: Array<{ multihash: Uint8Array; bytes: Uint8Array }> = []
    for (let i = 0; i < count; i++) {
      const [bytes] = chunksOf(size, i + 1) as Iterable<Buffer> & [Buffer]
      batch.push({ multihash: Buffer.concat([Buffer.from([0x12, 32]), hash('sha256', bytes!, 'buffer')]), bytes: bytes! })
      if (batch.length === AT_A_TIME || i === count - 1) {
        await store.putAll(batch)
        batch = []
      }
    }
  })
  return repo
}

/** Blocks a second when they are listed, read 16 at a time and hashed, and nothing else. */
function bare(repo: string): Promise<number> {
  return withStore(repo, async store => {
    let count = 0
    const took = await seconds(async () => {
      let keys: Uint8Array[] = []
      const flush = async () => {
        for (const bytes of await Promise.all(await store.readAll(keys))) hash('sha256', bytes!, 'buffer')
        count += keys.length
        keys = []
      }
      for await (const key of store.listMultihashes()) if (keys.push(key) === 16) await flush()
      await flush()
    })
    return count / took
  })
}

async function verify(of: Repo): Promise<void> {
  const repo = await filled(of)
  const alone = await bare(repo)
  const node = await startNode(repo)
  try {
    const first = await seconds(() => node.post('repo/stat'))
    const again = await seconds(() => node.post('repo/stat'))
    console.log(`repo/stat with ${of.count} ${of.name}: ${(first * 1000).toFixed(1)} ms, again ${(again * 1000).toFixed(1)} ms`)
    const idle = await node.memory()
    let most = idle
    const watch = setInterval(async () => {
      most = Math.max(most, await node.memory())
    }, 50)
    let end = ''
    const took = await seconds(() =>
      node.post('repo/verify', undefined, chunk => {
        end = chunk.toString()
      })
    )
    clearInterval(watch)
    if (!end.includes('all blocks validated')) throw new Error(`repo/verify ended with ${end.slice(-200)}`)
    report({ name: `repo/verify, ${of.name}`, measured: of.count / took, against: alone, unit: 'blocks/s', atLeast: 0.5 })
    console.log(`${Math.round((of.count * of.size) / MiB / took)} MiB/s`)
    report({ name: `growth meanwhile against the aim, ${of.name}`, measured: most - idle, against: 64, unit: 'MiB', atMost: 1 })
  } finally {
    await node.stop()
    await rm(dirname(repo), { recursive: true })
  }
}

for (const repo of [SMALL, SHORT, LARGE]) await verify(repo)
process.exit()
