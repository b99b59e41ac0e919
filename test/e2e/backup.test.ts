/** The procedures of docs/operating.md: a picture of a repo under load, and a repo that moves. */
import { execFile } from 'node:child_process'
import { cp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { lines, post } from '../crash/support/rpc.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { type Daemon, startDaemon } from '../helpers/process/daemon.ts'
import { seeded } from '../helpers/random.ts'

const backup = fileURLToPath(new URL('../../../docs/backup.sh', import.meta.url))
const run = promisify(execFile)

/** Keeps adding files, their chunks small enough for the database and large enough for files of their own in turn, until `stop`. */
function load(url: string) {
  const added = new Map<string, Uint8Array<ArrayBuffer>>()
  let stopped = false
  let onAdded = () => {}
  const work = async (worker: number) => {
    for (let i = 0; !stopped; i++) {
      const bytes = seeded(worker * 1000 + i).bytes(400_000)
      const text = await post(url, `add?cid-version=1&chunker=size-${i % 2 === 0 ? 1024 : 65_536}`, [['file', bytes]])
      added.set(lines<{ Hash: string }>(text)[0]!.Hash, bytes)
      onAdded()
    }
  }
  const workers = Promise.all([1, 2, 3].map(work))
  return {
    /** By CID, what has been acknowledged and pinned so far. */
    added: () => new Map(added),
    until: (count: number) =>
      Promise.race([
        workers,
        new Promise<void>(resolve => {
          onAdded = () => added.size >= count && resolve()
        })
      ]),
    async stop() {
      stopped = true
      await workers
    }
  }
}

async function isWhole(daemon: Daemon): Promise<{ blocks: number; end: string }> {
  const all = lines<{ Msg: string; Progress: number }>(await post(daemon.url, 'repo/verify'))
  return { blocks: all.at(-2)?.Progress ?? 0, end: all.at(-1)?.Msg ?? '' }
}

const picturing = test.macro({
  title: (_, largeBlocks: string) =>
    `a picture taken of a node under load, large blocks in ${largeBlocks}, opens, is whole, and holds what was acknowledged`,
  exec: takesPicture
})
test.serial(picturing, 'segments')
test.serial(picturing, 'files')

async function takesPicture(t: ExecutionContext, largeBlocks: string) {
  t.timeout(180_000)
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const config = ['--config', join(folder, 'holdfast.config.json')]
  await writeFile(config[1]!, JSON.stringify({ plugins: { 'storage-rocksdb': { largeBlocks, segmentSize: 2 << 20 } } }))
  const node = await startDaemon(repo, [], config)
  t.teardown(() => node.kill())
  const work = load(node.url)
  await work.until(60)
  const before = work.added()
  const picture = join(folder, 'picture')
  await run('sh', [backup, repo, String(node.process.pid), picture])
  await work.until(before.size + 20)
  await work.stop()
  const shared = (await readdir(join(picture, 'db'))).filter(name => name.endsWith('.sst'))
  t.true(shared.length > 0, 'the load was too light for tables to be written')

  const restored = join(folder, 'restored')
  await cp(picture, restored, { recursive: true })
  await rm(picture, { recursive: true })
  const copy = await startDaemon(restored, [], config)
  t.teardown(() => copy.kill())
  t.is((await isWhole(copy)).end, 'verify complete, all blocks validated.')
  const pinned = (JSON.parse(await post(copy.url, 'pin/ls?type=recursive')) as { Keys: Record<string, unknown> }).Keys
  for (const [cid, bytes] of before) {
    t.true(cid in pinned)
    const response = await fetch(`${copy.url}/api/v0/cat?arg=${cid}`, { method: 'POST' })
    t.true(Buffer.from(await response.arrayBuffer()).equals(bytes), cid)
  }
  t.is(await post(copy.url, 'pin/verify'), '')
  t.is(await copy.stop(), 0)

  t.is((await isWhole(node)).end, 'verify complete, all blocks validated.')
  t.is(await node.stop(), 0)
}

test('the node goes on when its picture cannot be taken', async t => {
  const folder = await temporaryFolder(t)
  const node = await startDaemon(join(folder, 'repo'))
  t.teardown(() => node.kill())
  await t.throwsAsync(run('sh', [backup, join(folder, 'elsewhere'), String(node.process.pid), join(folder, 'picture')]))
  t.is((await isWhole(node)).blocks, 1)
  t.is(await node.stop(), 0)
})

test('a repo of 10,000 blocks of every kind verifies after a restart elsewhere, and its size is what the disk says', async t => {
  t.timeout(180_000)
  const folder = await temporaryFolder(t)
  const first = await startDaemon(join(folder, 'here'))
  t.teardown(() => first.kill())
  for (const [i, [size, chunk, hash]] of [
    [3_000_000, 1000, 'sha2-256'],
    [2_000_000, 500, 'sha2-512'],
    [600_000, 300, 'blake2b-256'],
    [600_000, 300, 'sha3-256'],
    [200_000, 200, 'blake3'],
    [20_000_000, 262_144, 'sha2-256'],
    [4_000_000, 5000, 'blake2s-256']
  ].entries() as IterableIterator<[number, [number, number, string]]>) {
    await post(first.url, `add?cid-version=1&chunker=size-${chunk}&hash=${hash}`, [['file', seeded(i + 1).bytes(size)]])
  }
  const { NumObjects } = JSON.parse(await post(first.url, 'repo/stat')) as { NumObjects: number }
  t.true(NumObjects > 10_000, `${NumObjects}`)
  t.is(await first.stop(), 0)

  const there = join(folder, 'there')
  await rename(join(folder, 'here'), there)
  const second = await startDaemon(there)
  t.teardown(() => second.kill())
  t.deepEqual(await isWhole(second), { blocks: NumObjects, end: 'verify complete, all blocks validated.' })
  const told = JSON.parse(await post(second.url, 'repo/stat')) as { RepoSize: number; NumObjects: number; RepoPath: string }
  t.is(told.NumObjects, NumObjects)
  t.is(told.RepoPath, there)
  const entries = await readdir(there, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    entries.filter(entry => entry.isFile()).map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size)
  )
  const found = sizes.reduce((a, b) => a + b, 0)
  // what is written about the store itself, e.g. RocksDB's report, grows between the two looks
  t.true(Math.abs(told.RepoSize - found) < 20_000, `${told.RepoSize} told, ${found} found`)
  t.is(await second.stop(), 0)
})
