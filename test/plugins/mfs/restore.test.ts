import { join } from 'node:path'
import test from 'ava'
import { CID, Mfs } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { testHost } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { treeOf } from './helpers.ts'

test('a directory becomes the whole tree, also after changes that were not kept in a root yet', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = treeOf(host)
  await tree.write('/a', 'first')
  const before = CID.parse((await tree.stat('/')).Hash)
  await tree.write('/b', 'second')
  await host.service(Mfs)!.write('/c', some('third'), { create: true, flush: false })
  await host.service(Mfs)!.restore(before)
  t.deepEqual(await tree.names('/'), ['a'])
  t.is((await tree.stat('/')).Hash, String(before))
  await tree.write('/d', 'fourth')
  t.deepEqual(await tree.names('/'), ['a', 'd'])
})

test('what is no directory, or not here, is refused, and the tree stays', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = treeOf(host)
  await tree.write('/a', 'first')
  const mfs = host.service(Mfs)!
  await t.throwsAsync(mfs.restore((await mfs.stat('/a')).cid), { code: 'E_MFS_NOT_DIRECTORY' })
  const unknown = CID.parse('bafybeify2jxvdilvvwrm5t6siut53zrgy4nvgnupccaned3sna35vyigaa')
  await t.throwsAsync(mfs.restore(unknown, { offline: true }), { code: 'E_BLOCK_NOT_FOUND' })
  t.deepEqual(await tree.names('/'), ['a'])
})

test('a restored tree survives the end of the process', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const start = async () => {
    const host = await createHost({ repo: { path: repo, init: {} }, offline: 'a test' })
    await host.start()
    return host
  }
  const first = await start()
  await treeOf(first).write('/a', 'first')
  const root = await first.service(Mfs)!.flush('/')
  await treeOf(first).write('/b', 'second')
  await first.service(Mfs)!.restore(root)
  await first.stop()
  const second = await start()
  t.teardown(() => second.stop())
  t.deepEqual(await treeOf(second).names('/'), ['a'])
})

test('a writer that began before fails, and nothing of it is kept', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = treeOf(host)
  const root = await host.service(Mfs)!.flush('/')
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const writing = host.service(Mfs)!.write('/late', waiting(begun, go), { create: true })
  await begun.promise
  await host.service(Mfs)!.restore(root)
  go.resolve()
  await t.throwsAsync(writing, { code: 'E_MFS_REPLACED' })
  t.deepEqual(await tree.names('/'), [])
})

async function* some(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function* waiting(begun: PromiseWithResolvers<void>, go: PromiseWithResolvers<void>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('too ')
  begun.resolve()
  await go.promise
  yield Buffer.from('late')
}
