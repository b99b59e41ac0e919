/** A disk that is full: nobody is told of success that is none, reads go on, and what was acknowledged stays. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Random, seeded } from '../helpers/random.ts'
import { lines, post } from './support/rpc.ts'
import { laden, onDisk, smallDisk, start } from './support/small-disk.ts'
import { pinsOf, rehashAll, storedBlocks, walkGraph } from './support/verify.ts'

const FULL = /E?NOSPC|No space left on device/

async function add(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return lines<{ Hash: string }>(await post(url, 'add', [['file', bytes]])).at(-1)!.Hash
}

/** Blocks of `size` bytes, many a request, until one is refused. @returns the keys of those that were acknowledged, and the refusal */
async function fill(url: string, random: Random, size: number): Promise<{ keys: string[]; refusal: string }> {
  const keys: string[] = []
  for (;;) {
    const form = new FormData()
    for (let i = 0; i < 100; i++) form.append('file', new Blob([random.bytes(size)]), `${i}`)
    const response = await fetch(`${url}/api/v0/block/put`, { method: 'POST', body: form })
    let text = ''
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
    } catch {
      // The answer broke off: the lines before count.
    }
    if (!response.ok) return { keys, refusal: text }
    for (const line of text.split('\n').slice(0, -1)) keys.push((JSON.parse(line) as { Key: string }).Key)
  }
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    error => (error as Error).message
  )

const filled = 'a node that fills its disk refuses what does not fit, and stores again once something is removed'
onDisk(
  filled,
  t => smallDisk(t, 96),
  async (t, { repo, node }) => {
    const random = seeded(7)
    const { url } = node
    const loose = lines<{ Key: string }>(await post(url, 'block/put', [['b', random.bytes(5000)]]))[0]!.Key
    const roots: string[] = []
    let refused = ''
    while (refused === '')
      await add(url, random.bytes(700_000)).then(
        cid => roots.push(cid),
        error => {
          refused = error.message
        }
      )
    t.regex(refused, /500 .*storage-rocksdb: ENOSPC: no space left on device/)
    t.true(roots.length > 20)
    t.regex(await refusal(post(url, 'block/put', [['b', random.bytes(300_000)]])), FULL)
    await post(url, `pin/add?arg=${loose}`)
    const node300k = new Uint8Array(Buffer.from(JSON.stringify('x'.repeat(300_000))))
    t.is(await refusal(post(url, 'dag/put', [['n', node300k]])), 'terminated', 'it is named before it is stored, so the answer breaks off')
    t.is((await pinsOf(url)).get(loose), 'recursive ', 'there is room left for small things')
    for (const cid of [roots[0]!, roots.at(-1)!]) t.is((await fetch(`${url}/api/v0/cat?arg=${cid}`, { method: 'POST' })).status, 200)

    const removed = roots.splice(0, 8)
    for (const cid of removed) {
      const keys = await walkGraph(url, cid)
      await post(url, `pin/rm?arg=${cid}`)
      await post(url, `block/rm?${keys.map(key => `arg=${key}`).join('&')}`)
    }
    await post(url, 'repo/gc')
    roots.push(await add(url, random.bytes(700_000)))
    t.is(await node.stop(), 0)

    const again = await start(t, repo)
    const pins = await pinsOf(again.url)
    for (const cid of roots) t.is(pins.get(cid), 'recursive ')
    for (const cid of removed) t.is(pins.get(cid), undefined)
    for (const cid of roots) await t.notThrowsAsync(walkGraph(again.url, cid))
    await rehashAll(again.url)
    roots.push(await add(again.url, random.bytes(700_000)))

    const { keys, refusal: smallRefused } = await fill(again.url, random, 4000)
    t.regex(smallRefused, FULL)
    await post(again.url, `pin/rm?arg=${loose}`)
    t.is(await again.stop(), 0)
    const last = await start(t, repo)
    const stored = await storedBlocks(last.url)
    t.true(keys.every(key => stored.has(key)))
    for (const cid of roots) t.is((await pinsOf(last.url)).get(cid), 'recursive ')
    t.is(await last.stop(), 0)
  }
)

const small = 'a disk that small blocks filled has room for as many after a collection, and a node that stops and starts'
onDisk(
  small,
  t => smallDisk(t, 128),
  async (t, { repo, node }) => {
    const random = seeded(9)
    const kept = lines<{ Key: string }>(await post(node.url, 'block/put?pin=true', [['b', random.bytes(1500)]]))[0]!.Key
    const { url } = node
    // The first collection writes the directories of the tree.
    await post(url, 'repo/gc')
    const before = await storedBlocks(url)
    const { keys, refusal: refused } = await fill(url, random, 1500)
    t.regex(refused, FULL)
    t.regex(refused, /more for the database to merge its tables/)
    for (let round = 0; round < 2; round++) {
      await post(url, 'repo/gc')
      t.deepEqual(await storedBlocks(url), before)
      const again = await fill(url, random, 1500)
      t.regex(again.refusal, FULL)
      t.true(again.keys.length > keys.length * 0.8, `${again.keys.length} blocks after the collection, ${keys.length} before`)
    }
    const report = await readFile(join(repo, 'db', 'LOG'), 'utf8')
    t.notRegex(report, /No space left/, 'RocksDB itself never met the end of the disk')
    t.is(await node.stop(), 0, node.output())

    const last = await start(t, repo)
    t.is((await pinsOf(last.url)).get(kept), 'recursive ')
    await post(last.url, 'repo/gc')
    await rehashAll(last.url)
    t.is(await last.stop(), 0)
  }
)

const refusing = 'a database that met a full disk says that it writes no more, never that it did, and stores again after a restart'
onDisk(
  refusing,
  t => laden(t, 32),
  async (t, { disk, repo, node }) => {
    const random = seeded(8)
    const { url } = node
    const pinned = await add(url, random.bytes(500_000))
    const { keys, refusal: refused } = await fill(url, random, 2000)
    t.regex(refused, /storage-rocksdb: the database refused a write: .*No space left on device \(reads go on; .*start the node again/)
    t.true(keys.length > 100)
    const pins = await pinsOf(url)
    const held = await storedBlocks(url)
    // the node tries from time to time whether the disk takes writes again: what is done then is done
    if ((await refusal(post(url, `pin/add?arg=${keys[0]}`))) === 'done') pins.set(keys[0]!, 'recursive ')
    if ((await refusal(post(url, `pin/rm?arg=${pinned}`))) === 'done') pins.delete(pinned)
    if ((await refusal(post(url, `block/rm?arg=${keys[1]}`))) === 'done') held.delete(keys[1]!)
    t.deepEqual(await storedBlocks(url), held)
    t.regex(await refusal(post(url, 'block/put', [['b', random.bytes(2000)]])), FULL)
    t.regex(await refusal(add(url, random.bytes(100_000))), FULL)
    t.deepEqual(await storedBlocks(url), held)
    t.deepEqual(await pinsOf(url), pins)
    await rehashAll(url)
    await node.stop()

    await rm(join(disk, 'ballast'))
    const again = await start(t, repo)
    const stored = await storedBlocks(again.url)
    t.deepEqual(
      keys.filter(key => !stored.has(key)),
      keys.filter(key => !held.has(key))
    )
    await rehashAll(again.url)
    t.deepEqual(await pinsOf(again.url), pins)
    await post(again.url, `block/rm?arg=${keys[1]}&force=true`)
    await add(again.url, random.bytes(100_000))
    t.is(await again.stop(), 0)
  }
)
