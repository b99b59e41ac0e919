/** Collections beside a tree of which a block was lost, or was never here. */
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Blocks, Blockstore, CID, Collector, Mfs } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import type { NodeHost } from '../../../host/host.ts'
import { testHost } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'
import { startDaemon } from '../../helpers/process/daemon.ts'
import { all } from '../../helpers/streams.ts'
import { treeOf } from './helpers.ts'

async function hostOn(t: ExecutionContext, path: string): Promise<NodeHost> {
  const host = await createHost({ repo: { path, init: {} }, offline: 'a test' })
  t.teardown(() => host.stop())
  await host.start()
  return host
}

/** Takes a block out of the store. @returns what puts it back */
async function lose(host: NodeHost, cid: CID): Promise<(later: NodeHost) => Promise<void>> {
  const bytes = await host.service(Blocks)!.get(cid)
  await host.service(Blockstore)!.deleteMultihash!(cid.multihash.bytes)
  return later => later.service(Blocks)!.put(cid, bytes)
}

/** A stopped repo with two folders of one file each, and the nodes above them. */
async function stocked(t: ExecutionContext) {
  const path = join(await temporaryFolder(t), 'repo')
  const host = await hostOn(t, path)
  const tree = treeOf(host)
  await tree.write('/a/deep/f', 'in a', { parents: true })
  await tree.write('/b/f', 'in b', { parents: true })
  const mfs = host.service(Mfs)!
  const [root, a, deep] = [await mfs.flush('/'), (await mfs.stat('/a')).cid, (await mfs.stat('/a/deep')).cid]
  await host.stop()
  return { path, root, a, deep }
}

for (const which of ['root', 'a', 'deep'] as const) {
  test(`a collection that does not find ${which === 'root' ? 'the root' : `the folder '${which}'`} of the tree removes nothing, and says what to do`, async t => {
    const { path, ...nodes } = await stocked(t)
    const first = await hostOn(t, path)
    const putBack = await lose(first, nodes[which])
    await first.stop()
    const host = await hostOn(t, path)
    const before = (await all(host.service(Blocks)!.list())).length
    const error = await t.throwsAsync(async () => all((await host.call('repo/gc')) as AsyncIterable<unknown>), { code: 'E_COLLECTION' })
    t.true(error.message.includes(String(nodes[which])))
    t.regex(error.message, /garbage collection aborted: could not retrieve some links of what 'mfs' keeps$/)
    t.regex(
      String((error as { http?: { headers?: object } }).http?.headers?.['X-Error-Detail' as never]),
      /^nothing was removed, .*block put/
    )
    t.is((await all(host.service(Blocks)!.list())).length, before)
    t.deepEqual(
      (await all(host.service(Collector)!.missing())).map(({ source, cid }) => [source, String(cid)]),
      [['mfs', String(nodes[which])]]
    )
    await putBack(host)
    await all(host.service(Collector)!.collect())
    t.is(await treeOf(host).read('/a/deep/f'), 'in a')
    t.is(await treeOf(host).read('/b/f'), 'in b')
  })
}

test('a folder whose own block is lost is removed without it, and a collection goes on', async t => {
  const { path, a } = await stocked(t)
  const first = await hostOn(t, path)
  await lose(first, a)
  await first.stop()
  const host = await hostOn(t, path)
  const tree = treeOf(host)
  await all(await tree.call<AsyncIterable<unknown>>('files/rm', ['/a'], { recursive: true }))
  t.deepEqual(await all(host.service(Collector)!.missing()), [])
  await all(host.service(Collector)!.collect())
  t.is(await tree.read('/b/f'), 'in b')
})

test('a folder that was copied whole is missed like any other', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = treeOf(host)
  await tree.write('/x/y/f', 'text', { parents: true })
  const { Hash } = await tree.stat('/x')
  await all(await tree.call<AsyncIterable<unknown>>('files/rm', ['/x'], { recursive: true }))
  await tree.call('files/cp', [`/ipfs/${Hash}`, '/copied'])
  await lose(host, (await host.service(Mfs)!.stat('/copied/y')).cid)
  await t.throwsAsync(all(host.service(Collector)!.collect()), { code: 'E_COLLECTION_ABORTED' })
})

test('of what was copied and was never here nobody misses a block, also where the folder was changed since', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = treeOf(host)
  await tree.write('/x/absent/f', 'text', { parents: true })
  await tree.write('/x/there/f', 'other text', { parents: true })
  const { Hash } = await tree.stat('/x')
  const absent = (await host.service(Mfs)!.stat('/x/absent')).cid
  await all(await tree.call<AsyncIterable<unknown>>('files/rm', ['/x'], { recursive: true }))
  await lose(host, absent)
  await tree.call('files/cp', [`/ipfs/${Hash}`, '/copied'])
  await t.notThrowsAsync(all(host.service(Collector)!.collect()))
  t.is(await tree.read('/copied/there/f'), 'other text')
  await tree.write('/copied/new', 'beside it')
  await t.notThrowsAsync(all(host.service(Collector)!.collect()))
  t.deepEqual((await tree.names('/copied')).sort(), ['absent', 'new', 'there'])
})

test('the start, and doctor, tell of a block of the tree that was lost', async t => {
  const { path, a } = await stocked(t)
  const host = await hostOn(t, path)
  await lose(host, a)
  await host.stop()
  const found = await commandLine(['--repo', path, 'doctor', '--start', '--json'])
  t.is(found.code, 1)
  const kept = (JSON.parse(found.out) as Array<{ check: string; about: string; remedy: string }>).find(({ check }) => check === 'kept')!
  t.true(kept.about.includes(String(a)))
  t.regex(kept.remedy, /block put/)
  const daemon = await startDaemon(path)
  t.teardown(() => daemon.kill())
  while (!daemon.output().includes(String(a))) await new Promise(resolve => daemon.process.stderr!.once('data', resolve))
  t.regex(daemon.output(), /a block of what 'mfs' keeps is lost, and nothing is collected until it is back/)
})

test('a collection does not wait for who waits for a block of the tree', async t => {
  const { path, root } = await stocked(t)
  const first = await hostOn(t, path)
  await lose(first, root)
  await first.stop()
  const asked = Promise.withResolvers<void>()
  const host = await createHost({ repo: { path, init: {} }, offline: 'a test' })
  t.teardown(() => host.stop())
  await host.start()
  const blocks = host.service(Blocks)!
  const get = blocks.get.bind(blocks)
  // a peer that never answers
  blocks.get = (cid, options) => {
    if (options?.offline === true || !cid.equals(root)) return get(cid, options)
    asked.resolve()
    return new Promise((_, reject) => options?.signal?.addEventListener('abort', () => reject(options.signal!.reason)))
  }
  const leaving = new AbortController()
  const waiting = host.service(Mfs)!.stat('/', { signal: leaving.signal })
  await asked.promise
  await t.throwsAsync(all(host.service(Collector)!.collect()), { code: 'E_COLLECTION_ABORTED' })
  leaving.abort()
  await t.throwsAsync(waiting)
})
