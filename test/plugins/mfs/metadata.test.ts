import { join } from 'node:path'
import test from 'ava'
import { itemsOf } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { newTree, openTree, type Tree } from './helpers.ts'

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
  for (let i = 0; i < 39; i++) await tree.call('files/rm', [`/d/file-${i}`])
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
