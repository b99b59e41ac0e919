import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { Blockstore, CID, fastBlocks, Keys, Mfs, Names, Pins, Repo } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { hostOn, migrate, RELEASES, reportOf, snapshot, unpacked } from './world.ts'

for (const release of RELEASES) {
  test(`all of a repo of Kubo ${release} is taken over, and the repo stays as it is`, async t => {
    const { path, told, folder } = await unpacked(t, release)
    const before = await snapshot(path)
    const repo = join(folder, 'repo')
    const ran = await migrate(repo, path)
    t.is(ran.code, 0, ran.err)
    t.deepEqual(await snapshot(path), before)

    const host = await hostOn(t, repo)
    t.is(host.service(Repo)!.identity.peerId, told.peerId)
    const store = fastBlocks(host.service(Blockstore)!)
    for (const cid of told.blocks) t.true(await store.hasMultihash(CID.parse(cid).multihash.bytes), cid)
    t.is((await store.totals()).blocks, told.blocks.length)
    const pins = await itemsOf<{ text: string; mode: string; name: string }>(host.service(Pins)!.list())
    const sorted = (list: ReadonlyArray<{ cid: string }>) => list.toSorted((a, b) => (a.cid < b.cid ? -1 : 1))
    t.deepEqual(sorted(pins.map(({ text, mode, name }) => ({ cid: text, mode, ...(name !== '' && { name }) }))), sorted([...told.pins]))
    const mfs = host.service(Mfs)!
    t.is(String(await mfs.flush('/')), told.mfsRoot)
    t.is(String((await mfs.stat('/docs/tree')).cid), told.tree)
    t.is(String((await mfs.stat('/many')).cid), told.many)
    t.deepEqual(await itemsOf((await mfs.list('/docs/old')) as never), [], 'an empty folder')
    t.is(Buffer.concat(await itemsOf<Uint8Array>(await mfs.read('/docs/new/note.txt'))).toString(), 'written in place\n')
    const { Keys: keys } = (await host.call('key/list')) as { Keys: Array<{ Name: string; Id: string }> }
    t.deepEqual(Object.fromEntries(keys.map(({ Name, Id }) => [Name, Id])), { ...told.keys })
    for (const [name, value] of Object.entries(told.names)) {
      t.is((await host.service(Names)!.resolve(`/ipns/${told.keys[name]}`)).path, value)
    }
    await t.notThrowsAsync(async () => itemsOf(await host.call('repo/verify')))
    await t.notThrowsAsync(async () => itemsOf(await host.call('pin/verify')))
    t.deepEqual(await itemsOf(await host.call('repo/gc')), [], 'all is kept by what was taken over')
  })
}

test('keys sign as they did, and the next record of a name counts on from the last', async t => {
  const { path, told, folder } = await unpacked(t)
  const repo = join(folder, 'repo')
  await migrate(repo, path)
  const host = await hostOn(t, repo)
  t.is((await host.service(Keys)!.find('first'))?.name, 'first')
  const { sequence } = await host.service(Names)!.publish(`/ipfs/${told.tree}/a`, { key: 'self', allowOffline: true })
  t.is(sequence, 2n)
  t.is((await host.service(Names)!.resolve(`/ipns/${told.keys['self']}`)).path, `/ipfs/${told.tree}/a`)
})

test('the configuration says what it said, and what 0.28 has in place of what is fetched for 0.42', async t => {
  const { path, folder } = await unpacked(t, '0.42')
  const config = JSON.parse(await readFile(join(path, 'config'), 'utf8'))
  await writeFile(
    join(path, 'config'),
    JSON.stringify({ ...config, Bootstrap: ['auto'], Provide: { Strategy: 'roots', DHT: { Interval: '10h' } } })
  )
  const repo = join(folder, 'repo')
  const ran = await migrate(repo, path, '--encoding=json')
  t.is(ran.code, 0, ran.err)
  const written = JSON.parse(await readFile(join(repo, 'config'), 'utf8'))
  t.deepEqual(written.Identity, config.Identity)
  t.is(written.Datastore.StorageMax, '7GB')
  t.is(written.Internal.UnixFSShardingSizeThreshold, '5KiB')
  t.true(written.Bootstrap.length > 3 && written.Bootstrap.every((peer: string) => peer.startsWith('/')))
  t.deepEqual(written.DNS.Resolvers, {})
  t.like(written.Reprovider, { Strategy: 'roots', Interval: '10h' })
  t.false(JSON.stringify(written).includes('"auto"'))
  t.is((reportOf(ran)!['Configuration'] as string[]).length, 6)
})

test('a large block gets a second name where the file system has one, and what Kubo does to its own stays there', async t => {
  const { path, told, folder } = await unpacked(t)
  const repo = join(folder, 'repo')
  const ran = await migrate(repo, path, '--encoding=json')
  const report = reportOf(ran) as { Blocks: { Linked: number; Copied: number; There: number } }
  t.is(report.Blocks.Linked + report.Blocks.Copied + report.Blocks.There, told.blocks.length)
  t.true(report.Blocks.Linked > 0)
  const linked: string[] = []
  for (const name of Object.keys(await snapshot(join(repo, 'blocks')))) {
    const [mine, theirs] = [await stat(join(repo, 'blocks', name)), await stat(join(path, 'blocks', name)).catch(() => undefined)]
    if (mine.isFile() && name.endsWith('.data')) {
      t.is(mine.ino, theirs!.ino)
      linked.push(name)
    }
  }
  t.is(linked.length, report.Blocks.Linked)
  for (const name of linked) await rm(join(path, 'blocks', name))
  const host = await hostOn(t, repo)
  await t.notThrowsAsync(async () => itemsOf(await host.call('repo/verify')))
})

test('what is removed here stays in the repo of Kubo', async t => {
  const { path, folder } = await unpacked(t)
  const before = await snapshot(path)
  const repo = join(folder, 'repo')
  await migrate(repo, path)
  const host = await hostOn(t, repo)
  for await (const { cid } of host.service(Pins)!.list()) await host.service(Pins)!.remove(cid)
  await host.service(Mfs)!.remove('/docs', { recursive: true })
  await host.service(Mfs)!.remove('/many', { recursive: true })
  t.true((await itemsOf(await host.call('repo/gc'))).length > 800)
  await host.stop()
  t.deepEqual(await snapshot(path), before)
})

test('a second run takes over what has come since, and nothing twice', async t => {
  const { path, told, folder } = await unpacked(t)
  const repo = join(folder, 'repo')
  await migrate(repo, path)
  const host = await hostOn(t, repo)
  const pin = CID.parse(told.tree)
  await host.service(Pins)!.remove(pin)
  await host.stop()
  const again = await migrate(repo, path, '--encoding=json')
  t.is(again.code, 0, again.err)
  t.like(reportOf(again), { Blocks: { Linked: 0, Copied: 0, There: told.blocks.length }, Pins: { Recursive: 4, Direct: 1, Named: 1 } })
  const after = await hostOn(t, repo)
  t.truthy(await after.service(Pins)!.get(pin))
})
