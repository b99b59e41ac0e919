/** A second take-over of a repo whose first one was worked on meanwhile, here and there. */
import { join } from 'node:path'
import test from 'ava'
import { ClassicLevel } from 'classic-level'
import { identity } from 'multiformats/hashes/identity'
import { CID, Keys, Mfs, Names, Pins, UnixFs } from '../../../core/index.ts'
import { identityOf } from '../../../core/keys/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { pinEntries } from '../../../plugins/migrate/kubo/pins.ts'
import { hostOn, migrate, reportOf, unpacked } from './world.ts'

interface Reported {
  readonly Kept: readonly string[]
  readonly Left: readonly string[]
}

const bytes = (text: string) => [Buffer.from(text)] as unknown as AsyncIterable<Uint8Array>
const textOf = async (mfs: Mfs, path: string) => Buffer.concat(await itemsOf<Uint8Array>(await mfs.read(path))).toString()

test('what was written into the mutable tree here since is kept, through a collection as well', async t => {
  const { path, folder } = await unpacked(t)
  const repo = join(folder, 'repo')
  await migrate(repo, path)
  const host = await hostOn(t, repo)
  const mfs = host.service(Mfs)!
  await mfs.write('/here.txt', bytes('made here'), { create: true })
  await mfs.write('/docs/deep/here.txt', bytes('made below'), { create: true, parents: true })
  await mfs.write('/docs/new/note.txt', bytes('changed here'), { truncate: true })
  await host.stop()
  const again = await migrate(repo, path, '--encoding=json')
  t.is(again.code, 0, again.err)
  const after = await hostOn(t, repo)
  await itemsOf(await after.call('repo/gc'))
  const tree = after.service(Mfs)!
  t.is(await textOf(tree, '/here.txt'), 'made here')
  t.is(await textOf(tree, '/docs/deep/here.txt'), 'made below')
  t.is(await textOf(tree, '/docs/new/note.txt'), 'changed here')
  await t.notThrowsAsync(async () => itemsOf(await after.call('repo/verify')))
})

test('what was changed in the tree of Kubo alone comes over, and what was changed on both sides stays as it is here and is told', async t => {
  const { path, folder } = await unpacked(t)
  const [repo, other, changed] = [join(folder, 'repo'), join(folder, 'other'), join(folder, 'changed')]
  await migrate(repo, path)
  // Kubo's repo as it is after some work of its own
  await migrate(other, path)
  const there = await hostOn(t, other)
  const theirs = there.service(Mfs)!
  await theirs.write('/docs/both.txt', bytes('there'), { create: true })
  await theirs.write('/docs/new/note.txt', bytes('newer there'), { truncate: true })
  await theirs.mkdir('/of-kubo')
  await theirs.write('/of-kubo/file', bytes('new there'), { create: true })
  await theirs.remove('/many', { recursive: true })
  await there.stop()
  t.is((await migrate(other, '--to-kubo', changed)).code, 0)

  const here = await hostOn(t, repo)
  await here.service(Mfs)!.write('/docs/both.txt', bytes('here'), { create: true })
  await here.service(Mfs)!.write('/mine', bytes('mine'), { create: true })
  await here.stop()
  const ran = await migrate(repo, changed, '--encoding=json')
  t.is(ran.code, 1)
  const { Left } = reportOf(ran) as unknown as Reported
  t.is(Left.length, 1)
  t.regex(Left[0]!, /^\/docs\/both\.txt of the mutable tree, which is \/ipfs\/\w+ there: it is otherwise here$/)
  const next = await migrate(repo, changed)
  t.is(next.code, 0, 'it is told once')
  const after = await hostOn(t, repo)
  const tree = after.service(Mfs)!
  t.is(await textOf(tree, '/docs/both.txt'), 'here')
  t.is(await textOf(tree, '/mine'), 'mine')
  t.is(await textOf(tree, '/docs/new/note.txt'), 'newer there')
  t.is(await textOf(tree, '/of-kubo/file'), 'new there')
  t.is((await tree.stat('/many')).type, 'directory', 'nothing is removed')
})

test('the mode and time of a folder that were changed in the tree of Kubo alone come over, and are told where they were changed here as well', async t => {
  const { path, folder } = await unpacked(t)
  const [repo, other, changed] = [join(folder, 'repo'), join(folder, 'other'), join(folder, 'changed')]
  await migrate(repo, path)
  await migrate(other, path)
  const there = await hostOn(t, other)
  await there.service(Mfs)!.describe('/docs/new', { mode: 0o700, mtime: { seconds: 77n, nanoseconds: 5 } })
  await there.service(Mfs)!.describe('/docs', { mode: 0o750 })
  await there.stop()
  t.is((await migrate(other, '--to-kubo', changed)).code, 0)
  const here = await hostOn(t, repo)
  await here.service(Mfs)!.describe('/docs', { mode: 0o711 })
  await here.service(Mfs)!.write('/docs/new/here', bytes('here'), { create: true })
  await here.stop()
  const ran = await migrate(repo, changed, '--encoding=json')
  const { Left } = reportOf(ran) as unknown as Reported
  t.deepEqual(
    Left.filter(line => line.includes('mutable tree')).map(line => line.replace(/^(\S+) .*: /, '$1: ')),
    ['/docs: its mode or time is otherwise here']
  )
  const after = await hostOn(t, repo)
  const described = async (folder: string) => after.service(UnixFs)!.stat((await after.service(Mfs)!.stat(folder)).cid)
  const { mode, mtime } = await described('/docs/new')
  t.is(mode, 0o700)
  t.deepEqual([mtime?.seconds, mtime?.nanoseconds], [77n, 5])
  t.is((await described('/docs')).mode, 0o711)
  t.is(await textOf(after.service(Mfs)!, '/docs/new/here'), 'here')
})

test('pins stay as they were made here since', async t => {
  const { path, folder, told } = await unpacked(t)
  const repo = join(folder, 'repo')
  await migrate(repo, path)
  const host = await hostOn(t, repo)
  const pins = host.service(Pins)!
  const direct = CID.parse(told.pins.find(({ mode }) => mode === 'direct')!.cid)
  const named = CID.parse(told.pins.find(({ name }) => name !== undefined)!.cid)
  await pins.add(direct, { recursive: true, offline: true })
  await pins.add(named, { name: 'called so here', offline: true })
  await host.stop()
  const ran = await migrate(repo, path, '--encoding=json')
  t.is(ran.code, 0, ran.err)
  const { Kept } = reportOf(ran) as unknown as Reported
  t.is(Kept.length, 2)
  t.true(Kept.some(kept => kept.includes(String(named)) && kept.includes("named 'called so here' here")))
  const after = (await hostOn(t, repo)).service(Pins)!
  t.is((await after.get(direct))?.mode, 'recursive')
  t.is((await after.get(named))?.name, 'called so here')
})

test('a pin of a CID that holds its bytes itself comes over', async t => {
  const { path, folder } = await unpacked(t)
  const [raw, file] = [
    CID.createV1(0x55, identity.digest(Buffer.from('tiny'))),
    CID.createV1(0x70, identity.digest(Buffer.from([10, 2, 8, 1])))
  ]
  const level = new ClassicLevel<string, Uint8Array>(join(path, 'datastore'), { keyEncoding: 'utf8', valueEncoding: 'view' })
  await level.open()
  for (const pin of [{ cid: raw, mode: 'direct', name: '' } as const, { cid: file, mode: 'recursive', name: 'inline' } as const])
    for (const [key, value] of pinEntries(pin)) await level.put(key, value)
  await level.close()
  const repo = join(folder, 'repo')
  const ran = await migrate(repo, path, '--encoding=json')
  t.is(ran.code, 0, ran.err)
  const host = await hostOn(t, repo)
  t.is((await host.service(Pins)!.get(raw))?.mode, 'direct')
  t.like(await host.service(Pins)!.get(file), { mode: 'recursive', name: 'inline' })
  await t.notThrowsAsync(async () => itemsOf(await host.call('repo/gc')))
})

test('a key that was renamed here and a name that was published here since stay so', async t => {
  const { path, folder, told } = await unpacked(t)
  const repo = join(folder, 'repo')
  await migrate(repo, path)
  const host = await hostOn(t, repo)
  await host.service(Keys)!.rename('second', 'called so here')
  await host.service(Names)!.publish(`/ipfs/${told.tree}/a`, { key: 'self', allowOffline: true })
  await host.stop()
  const ran = await migrate(repo, path, '--encoding=json')
  t.is(ran.code, 0, ran.err)
  t.is((reportOf(ran) as unknown as Reported).Kept.length, 2)
  const after = await hostOn(t, repo)
  t.deepEqual((await after.service(Keys)!.names()).toSorted(), ['called so here', 'first', 'self'])
  t.is((await after.service(Names)!.resolve(`/ipns/${told.keys['self']}`)).path, `/ipfs/${told.tree}/a`)
})

test('a key that has several names has all of them here, and one that was renamed here has none of the others again', async t => {
  const { path, folder } = await unpacked(t)
  const [repo, other, named] = [join(folder, 'repo'), join(folder, 'other'), join(folder, 'named')]
  await migrate(other, path)
  const there = await hostOn(t, other)
  for (const name of ['first', 'self']) {
    const key = identityOf(await there.service(Keys)!.export(name))
    await there.service(Keys)!.import(`another ${name}`, key)
    await there.service(Keys)!.import(`a third ${name}`, key)
  }
  const names = await there.service(Keys)!.names()
  await there.stop()
  t.is((await migrate(other, '--to-kubo', named)).code, 0)

  for (const _ of ['the first time', 'again']) {
    const ran = await migrate(repo, named, '--encoding=json')
    t.is(ran.code, 0, ran.err)
    t.deepEqual((reportOf(ran) as unknown as Reported).Kept, [])
  }
  const here = await hostOn(t, repo)
  t.deepEqual(await here.service(Keys)!.names(), names)
  await here.service(Keys)!.rename('a third first', 'mine')
  await here.stop()
  const ran = await migrate(repo, named, '--encoding=json')
  t.deepEqual((reportOf(ran) as unknown as Reported).Kept, ["the key 'a third first': it is called 'mine' here"])
})
