/** Blocks that come back from the store cut short, or with another byte: no wrong answer, and nothing removed or believed because of it. */
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { createHost } from '../../host/create.ts'
import { type NodeHost } from '../../host/host.ts'
import { uploadOf } from '../core/unixfs/import/upload.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { type Random, seeded } from '../helpers/random.ts'
import { openRocks } from '../plugins/storage/backends.ts'
import { Faults, faultyStorage, type InnerStores } from './support/faults.ts'

const MOST_READS = 200

type Line = Record<string, unknown>

/** The whole answer as text. */
async function ask(host: NodeHost, path: string, args: readonly string[], options: Record<string, unknown> = {}): Promise<string> {
  const reply = await host.call(path, { args, options })
  if (reply === undefined || !(Symbol.asyncIterator in Object(reply))) return JSON.stringify(reply)
  const parts: string[] = []
  for await (const part of reply as AsyncIterable<Line | Uint8Array>)
    parts.push(part instanceof Uint8Array ? Buffer.from(part).toString('hex') : JSON.stringify(part))
  return parts.join('')
}

/** The CIDs of all blocks below a root. */
async function below(host: NodeHost, root: string): Promise<string[]> {
  const refs = await ask(host, 'refs', [root], { recursive: true })
  return [...refs.matchAll(/"Ref":"(\w+)"/g)].map(([, cid]) => cid!)
}

async function addTree(host: NodeHost, random: Random, pin: boolean): Promise<string> {
  const files = [
    ['t/small', random.bytes(2000)] as const,
    ['t/large', random.bytes(600_000)] as const,
    ['t/sub/x', random.bytes(9000)] as const
  ]
  let root = ''
  for await (const { Hash } of (await host.call('add', { body: uploadOf(files), options: { pin, rawLeaves: true } })) as AsyncIterable<{
    Hash: string
  }>)
    root = Hash
  return root
}

async function open(t: ExecutionContext, inner: InnerStores, faults: Faults, kind: 'plain' | 'quick', verifyOnRead: 'all' | 'asked') {
  const host = await createHost({
    plugins: [faultyStorage(inner, faults, kind)],
    configuration: { plugins: { 'storage-rocksdb': 'off', blocks: { verifyOnRead } } as never },
    repo: { path: undefined, init: {} }
  })
  await host.start()
  t.teardown(() => host.stop())
  return host
}

/** A store of the test's own, what befalls it, and a host on it. */
async function damaged(t: ExecutionContext, kind: 'plain' | 'quick') {
  const inner = await openRocks(join(await temporaryFolder(t), 'repo'))
  t.teardown(() => inner.storage.close())
  const faults = new Faults()
  return { inner, faults, host: await open(t, inner, faults, kind, 'asked') }
}

/** Damages the first, the second, … block that is read, until no more are. */
async function eachRead(faults: Faults, use: (where: string) => Promise<void>): Promise<number> {
  let total = 0
  for (const mode of ['short', 'damaged'] as const)
    for (let at = 1; ; at++) {
      if (at > MOST_READS) throw new Error('it reads without end')
      faults.arm(at, mode)
      await use(`${mode} ${at}`)
      if (faults.fired === undefined) break
      total++
    }
  faults.disarm()
  return total
}

const kinds = ['quick', 'plain'] as const

for (const kind of kinds) {
  test(`${kind}: a block that is damaged is never taken for what was asked for`, async t => {
    const { inner, faults, host: asked } = await damaged(t, kind)
    const root = await addTree(asked, seeded(1), true)
    const all = await open(t, inner, faults, kind, 'all')
    const reads: Array<[host: NodeHost, path: string, options?: Record<string, unknown>]> = [
      [asked, 'block/get'],
      [asked, 'dag/get'],
      [all, 'cat'],
      [all, 'ls'],
      [all, 'refs', { recursive: true }],
      [all, 'dag/stat'],
      [all, 'dag/export']
    ]
    for (const [host, path, options] of reads) {
      const args = [path === 'cat' ? `/ipfs/${root}/large` : root]
      const right = await ask(host, path, args, options)
      const total = await eachRead(faults, async where => {
        const answer = await ask(host, path, args, options).catch(error => error as Error)
        if (faults.fired === undefined) t.is(answer, right)
        else if (typeof answer === 'string') t.true(answer === right || /"Err":"[^"]/.test(answer), `${path}, ${where}: another answer`)
      })
      t.true(total > 0, path)
      t.is(await ask(host, path, args, options), right, `${path} afterwards`)
    }
  })

  test(`${kind}: what is missing below a damaged node is not pinned`, async t => {
    const { inner, faults, host } = await damaged(t, kind)
    const whole = await addTree(host, seeded(2), true)
    const root = await addTree(host, seeded(3), false)
    const leaf = (await below(host, root)).at(-1)!
    await inner.blocks.delete(CID.parse(leaf))
    for (const [path, args] of [
      ['pin/add', [root]],
      ['pin/update', [whole, root]]
    ] as const)
      t.true((await eachRead(faults, async where => void (await t.throwsAsync(ask(host, path, args), undefined, `${path}, ${where}`)))) > 0)
    faults.disarm()
    t.false((await ask(host, 'pin/ls', [])).includes(root))
  })

  test(`${kind}: nothing that is pinned is collected because a node above it is damaged`, async t => {
    const { inner, faults, host } = await damaged(t, kind)
    const root = await addTree(host, seeded(4), true)
    const blocks = [root, ...(await below(host, root))]
    const total = await eachRead(faults, async where => {
      await ask(host, 'repo/gc', []).catch(() => {})
      for (const cid of blocks) t.true(await inner.blocks.has(CID.parse(cid)), `${cid}, ${where}`)
    })
    t.true(total > 0)
    await t.notThrowsAsync(ask(host, 'repo/gc', []))
  })
}
