import { join } from 'node:path'
import test from 'ava'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { openPb, writePb } from '../../../core/dag/index.ts'
import { Blocks } from '../../../core/index.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { newTree, openTree, type Tree, treeOf } from './helpers.ts'

type Told = { Hash: string; Mode?: string; Mtime?: bigint; MtimeNsecs?: number }
const stat = (tree: Tree, path: string) => tree.call<Told>('files/stat', [path])
const told = async (tree: Tree, path: string) => {
  const { Mode, Mtime, MtimeNsecs } = await stat(tree, path)
  return { Mode, Mtime, MtimeNsecs }
}
const none = { Mode: undefined, Mtime: undefined, MtimeNsecs: undefined }

test('modes and times of files and directories survive a stop and a start', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const before = await openTree(repo)
  await before.call('files/mkdir', ['/d'])
  await before.write('/d/f', 'bytes')
  await before.call('files/chmod', ['0755', '/d'])
  await before.call('files/chmod', ['600', '/d/f'])
  await before.call('files/touch', ['/d'], { mtime: 1_600_000_000n })
  await before.call('files/touch', ['/d/f'], { mtime: -5n, mtimeNsecs: 7 })
  const root = await stat(before, '/')
  await before.host.stop()
  const after = await openTree(repo)
  t.teardown(() => after.host.stop())
  t.deepEqual(await told(after, '/d'), { Mode: '20000000755', Mtime: 1_600_000_000n, MtimeNsecs: undefined })
  t.deepEqual(await told(after, '/d/f'), { Mode: '0600', Mtime: -5n, MtimeNsecs: 7 })
  t.is((await stat(after, '/')).Hash, root.Hash)
  t.is(await after.read('/d/f'), 'bytes')
})

test('a mode of 0 takes it away, and the file is the one that it was', async t => {
  const tree = await newTree(t)
  await tree.write('/f', 'bytes')
  const { Hash } = await stat(tree, '/f')
  await tree.call('files/chmod', ['0644', '/f'])
  t.not((await stat(tree, '/f')).Hash, Hash)
  await tree.call('files/chmod', ['0', '/f'])
  t.is((await stat(tree, '/f')).Hash, Hash)
})

test('bits of a mode that mean nothing yet stay when the node changes, as in Kubo 0.42', async t => {
  const tree = await newTree(t)
  const blocks = tree.host.service(Blocks)!
  const put = async (unixfs: readonly number[]) => {
    const bytes = writePb([], Uint8Array.from(unixfs))
    const cid = CID.createV1(0x70, await sha256.digest(bytes))
    await blocks.put(cid, bytes)
    return cid
  }
  const bits = async (path: string) => Buffer.from(openPb(await blocks.get(CID.parse((await stat(tree, path)).Hash))).data!).toString('hex')
  // mode 0o100644 of a file, 0o100755 of a folder
  const file = await put([0x08, 0x02, 0x12, 0x02, ...Buffer.from('hi'), 0x18, 0x02, 0x38, 0xa4, 0x83, 0x02])
  const folder = await put([0x08, 0x01, 0x38, 0xed, 0x83, 0x02])
  for (const [cid, path] of [
    [file, '/f'],
    [folder, '/d']
  ] as const)
    await tree.call('files/cp', [`/ipfs/${cid}`, path])
  for (const [mode, after] of [
    ['0600', '808302'],
    ['0', '808002'],
    ['0711', 'c98302']
  ] as const)
    for (const [path, rest] of [
      ['/f', '0802120268691802'],
      ['/d', '0801']
    ] as const) {
      await tree.call('files/chmod', [mode, path])
      t.is(await bits(path), `${rest}38${after}`, `${path} ${mode}`)
    }
  await tree.call('files/touch', ['/f'], { mtime: 7n })
  t.is(await bits('/f'), '080212026869180238c9830242020807')
  await tree.call('files/mkdir', ['/d/x'])
  t.is(await bits('/d'), '080138c98302')
  t.is((await stat(tree, '/f')).Mode, '0711')
})

test('writing to a file that has a time sets it to now, and leaves its mode; one without stays without', async t => {
  const tree = await newTree(t)
  await tree.write('/timed', 'bytes')
  await tree.write('/plain', 'bytes')
  await tree.call('files/chmod', ['0640', '/timed'])
  await tree.call('files/touch', ['/timed'], { mtime: 5n })
  const start = BigInt(Math.floor(Date.now() / 1000))
  for (const path of ['/timed', '/plain']) await tree.write(path, 'other', { truncate: true })
  const { Mode, Mtime } = await told(tree, '/timed')
  t.is(Mode, '0640')
  t.true(Mtime! >= start)
  t.deepEqual(await told(tree, '/plain'), none)
})

test('a directory keeps its mode and time while it changes, is sharded and is one block again', async t => {
  const tree = await newTree(t, { threshold: '1KiB' })
  await tree.call('files/mkdir', ['/d'])
  await tree.call('files/chmod', ['0700', '/d'])
  await tree.call('files/touch', ['/d'], { mtime: 9n })
  const unsharded = await told(tree, '/d')
  for (let i = 0; i < 40; i++) await tree.write(`/d/file-${i}`, 'x', { flush: false })
  t.deepEqual(await told(tree, '/d'), unsharded, 'sharded')
  for (let i = 0; i < 39; i++) t.deepEqual(await itemsOf(await tree.call('files/rm', [`/d/file-${i}`])), [])
  t.deepEqual(await told(tree, '/d'), unsharded, 'one block')
})

test('a copy with force takes the place of a file, and of nothing else', async t => {
  const tree = await newTree(t)
  await tree.write('/a', 'a')
  await tree.write('/b', 'b')
  await tree.call('files/mkdir', ['/d'])
  await t.throwsAsync(tree.call('files/cp', ['/a', '/b']), { message: /already has entry/ })
  await tree.call('files/cp', ['/a', '/b'], { force: true })
  t.is(await tree.read('/b'), 'a')
  await t.throwsAsync(tree.call('files/cp', ['/a', '/d'], { force: true }), { message: /not a file: \/d/ })
  await t.throwsAsync(tree.call('files/cp', ['/zzz', '/b'], { force: true }), { message: /file does not exist/ })
  t.is(await tree.read('/b'), 'a')
})

for (const level of ['0.28', '0.42'] as const)
  test(`a copy that fails leaves nothing behind, and what it would have replaced, at level ${level}`, async t => {
    const host = await testHost({ configuration: { rpc: { level } } })
    t.teardown(() => host.stop())
    const tree = treeOf(host)
    const blocks = host.service(Blocks)!
    const put = async (codec: number, bytes: Uint8Array) => {
      const cid = CID.createV1(codec, await sha256.digest(bytes))
      await blocks.put(cid, bytes)
      return cid
    }
    await tree.write('/there', 'there')
    const link = await put(0x70, writePb([], Uint8Array.from([0x08, 0x04, 0x12, 0x01, 0x61])))
    for (const cid of [await put(0x71, Uint8Array.of(0xa0)), await put(0x70, writePb([], Uint8Array.of(1, 2, 3))), link]) {
      await t.throwsAsync(tree.call('files/cp', [`/ipfs/${cid}`, '/new']))
      await t.throwsAsync(tree.call('files/cp', [`/ipfs/${cid}`, '/a/b'], { parents: true }))
      await t.throwsAsync(tree.call('files/cp', [`/ipfs/${cid}`, '/there'], { force: true }))
    }
    t.deepEqual(await tree.names('/'), ['there'])
    t.is(await tree.read('/there'), 'there')
  })

test('what is removed, or replaced by a directory, while its mode is changed does not come back', async t => {
  const tree = await newTree(t)
  for (let i = 0; i < 20; i++) {
    await tree.write('/f', 'file', { create: true })
    const chmod = tree.call('files/chmod', ['0600', '/f']).catch((error: { code?: string }) => t.is(error.code, 'E_MFS_MISSING'))
    const replaced = (async () => {
      for (let turn = 0; turn < i; turn++) await new Promise(resolve => setImmediate(resolve))
      await itemsOf(await tree.call('files/rm', ['/f']))
      if (i % 2 === 0) return
      await tree.call('files/mkdir', ['/f'])
      await tree.write('/f/kept', 'kept', { create: true })
    })()
    await Promise.all([chmod, replaced])
    if (i % 2 === 0) t.deepEqual(await tree.names('/'), [])
    else {
      t.is(await tree.read('/f/kept'), 'kept')
      await itemsOf(await tree.call('files/rm', ['/f'], { recursive: true }))
    }
  }
})
