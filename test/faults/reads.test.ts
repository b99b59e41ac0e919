/** Reading on a disk that hands out other bytes than it was given. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { lines, post } from '../crash/support/rpc.ts'
import type { Daemon } from '../helpers/process/daemon.ts'
import { seeded } from '../helpers/random.ts'
import { type Disk, onFaultyDisk } from './disk.ts'

const LEAF = 262_144
const READERS = 48
const content = Buffer.from(seeded(1).bytes(3 * LEAF))

interface Answer {
  readonly status: number
  /** What came of the body before it ended or broke off. */
  readonly body: Buffer
  readonly isWhole: boolean
}

async function answerOf(url: string, method: string): Promise<Answer> {
  const response = await fetch(url, { method })
  const pieces: Uint8Array[] = []
  const isWhole = await (async () => {
    for await (const piece of response.body ?? []) pieces.push(piece)
  })().then(
    () => true,
    () => false
  )
  return { status: response.status, body: Buffer.concat(pieces), isWhole }
}

type Way = (node: Daemon, root: string) => Promise<readonly [url: string, method: string]>

const rpc =
  (path: (root: string) => string): Way =>
  async (node, root) => [`${node.url}/api/v0/${path(root)}`, 'POST']

const gateway =
  (query: string): Way =>
  async (node, root) => [
    `http://127.0.0.1:${/Gateway.* listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(node.output())?.[1]}/ipfs/${root}${query}`,
    'GET'
  ]

/** The ways to the content, each of which meets blocks that nobody asked for by their CID. */
const ways: readonly Way[] = [
  rpc(root => `cat?arg=${root}`),
  rpc(root => `get?arg=${root}`),
  rpc(root => `dag/export?arg=${root}`),
  rpc(() => 'files/read?arg=/f'),
  gateway(''),
  gateway('?format=car'),
  gateway('?format=tar')
]

async function added(t: ExecutionContext, disk: Disk): Promise<readonly [Daemon, string]> {
  const node = await disk.start()
  const answer = await post(node.url, 'add?cid-version=1&raw-leaves=true', [['f', new Uint8Array(content)]])
  const root = lines<{ Hash: string }>(answer).at(-1)!.Hash
  await post(node.url, `files/cp?arg=/ipfs/${root}&arg=/f`)
  t.deepEqual((await answerOf(`${node.url}/api/v0/cat?arg=${root}`, 'POST')).body, content)
  return [node, root]
}

onFaultyDisk('bytes that the disk changed are handed to nobody: whoever reads them is told which block is damaged', async (t, disk) => {
  const [first, root] = await added(t, disk)
  t.is(await first.stop(), 0)
  for (const way of ways) {
    // what was read and found whole is not hashed again until the next start
    const node = await disk.start()
    const [url, method] = await way(node, root)
    disk.rules('read segments/* flip')
    const damaged = await answerOf(url, method)
    disk.rules()
    const whole = await answerOf(url, method)
    await node.kill()
    t.is(whole.status, 200, url)
    t.true(whole.isWhole, url)
    if (damaged.status !== 200) t.regex(damaged.body.toString(), /different hash than requested: baf/, url)
    else {
      t.false(damaged.isWhole, `${url}: the damaged answer has an end`)
      t.true(whole.body.includes(damaged.body), `${url}: other bytes were sent`)
    }
  }
})

onFaultyDisk('while reads of large blocks take for ever, small blocks are stored, pinned and read', async (t, disk) => {
  const [first, root] = await added(t, disk)
  const leaves = lines<{ Ref: string }>(await post(first.url, `refs?arg=${root}`))
  t.is(await first.stop(), 0)
  const node = await disk.start()
  disk.rules('read segments/* hold')
  const ending = new AbortController()
  const waiting = Array.from({ length: READERS }, (_, i) =>
    fetch(`${node.url}/api/v0/block/get?arg=${leaves[i % leaves.length]!.Ref}`, { method: 'POST', signal: ending.signal }).then(
      () => 'answered',
      () => 'left'
    )
  )
  await disk.faults(1)
  const small = new Uint8Array(Buffer.from('a small file'))
  for (let n = 0; n < 8; n++) {
    const { Hash } = lines<{ Hash: string }>(await post(node.url, `add?cid-version=1&to-files=/n${n}`, [['small', small]])).at(-1)!
    t.true((await post(node.url, `pin/ls?arg=${Hash}`)).includes(Hash))
    t.is(await post(node.url, `cat?arg=${Hash}`), 'a small file')
  }
  ending.abort()
  disk.rules()
  t.deepEqual(new Set(await Promise.all(waiting)), new Set(['left']))
})

onFaultyDisk('a large block that the disk changed is mended by adding it again', async (t, disk) => {
  const [first, root] = await added(t, disk)
  t.is(await first.stop(), 0)
  const segment = (await readdir(join(disk.repo, 'segments'))).find(name => name.endsWith('.blocks'))
  const path = join(disk.repo, 'segments', segment!)
  const bytes = await readFile(path)
  bytes[bytes.length >> 1]! ^= 1
  await writeFile(path, bytes)
  const node = await disk.start()
  const cat = `${node.url}/api/v0/cat?arg=${root}`
  const damaged = await answerOf(cat, 'POST')
  t.false(damaged.status === 200 && damaged.isWhole)
  await post(node.url, 'add?cid-version=1&raw-leaves=true', [['f', new Uint8Array(content)]])
  t.deepEqual((await answerOf(cat, 'POST')).body, content)
  t.notRegex(await post(node.url, 'repo/verify'), /corrupt/)
})
