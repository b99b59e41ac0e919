import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { parseCid } from '../../../core/cid/parse.ts'
import { Blockstore, ready } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import { verify as verifyCommand } from '../../../plugins/repo/commands/verify.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { BlockFiles } from '../../../plugins/storage-rocksdb/blocks/block-files.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { until } from '../../helpers/until.ts'
import { put } from '../blocks/host.ts'
import { sample } from '../storage/samples.ts'
import { faults, putMany, repoHost, stat, type Verified, verify } from './host.ts'

const fileOf = (repo: string, cid: string) => new BlockFiles(join(repo, 'blocks'), 1).pathOf(parseCid(cid).multihash.bytes)
const CORRUPT = 'block in storage has different hash than requested'
const COMPLETE = 'verify complete, all blocks validated.'

test('repo/stat tells the size, the limit, the number of blocks, the path and the version', async t => {
  const { host, repo } = await repoHost(t)
  const before = await stat(host)
  t.deepEqual(
    { ...before, RepoSize: 0 },
    { RepoSize: 0, StorageMax: 10_000_000_000n, NumObjects: 1, RepoPath: repo, Version: 'fs-repo@15' }
  )
  await putMany(host, 5, 10_000)
  const after = await stat(host)
  t.is(after.NumObjects, 6)
  const growth = BigInt(after.RepoSize) - BigInt(before.RepoSize)
  t.true(growth >= 50_000n && growth < 70_000n, `${growth}`)
  // the journal goes on emptying itself behind what was put
  await until('stats/repo says the same', async () => isDeepStrictEqual(await host.call('stats/repo'), await stat(host)))
})

test('with size-only the other members are empty', async t => {
  const { host } = await repoHost(t)
  const whole = await stat(host)
  t.deepEqual(await stat(host, { sizeOnly: true }), { ...whole, NumObjects: 0, RepoPath: '', Version: '' })
})

test('repo/stat says what is wrong with a limit that is no size', async t => {
  const { host } = await repoHost(t, { overrides: { 'Datastore.StorageMax': '10 elephants' } })
  for (const path of ['repo/stat', 'stats/repo']) {
    await t.throwsAsync(host.call(path), {
      code: 'E_STORAGE_MAX',
      message:
        "Datastore.StorageMax of the node configuration is no size, as '10GB' would be: '10 elephants': unhandled size name: elephants"
    })
  }
})

test('without a limit StorageMax is the largest number of 64 bits', async t => {
  const { host } = await repoHost(t, { overrides: { 'Datastore.StorageMax': '' } })
  t.is((await stat(host)).StorageMax, 2n ** 64n - 1n)
})

test('a node in memory counts its blocks and has no path', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const before = await stat(host)
  await put(host, 'twelve bytes')
  const after = await stat(host)
  t.is(BigInt(after.RepoSize) - BigInt(before.RepoSize), 12n)
  t.is(after.NumObjects - before.NumObjects, 1)
  t.is(after.RepoPath, '')
})

test('repo/version is a number in a string', async t => {
  const { host } = await repoHost(t)
  t.deepEqual(await host.call('repo/version'), { Version: '15' })
  t.deepEqual(await host.call('repo/version', { options: { quiet: true } }), { Version: '15' })
})

test('repo/ls and refs/local list the same blocks', async t => {
  const { host } = await repoHost(t)
  const cids = await putMany(host, 20)
  const list = async (path: string) => (await itemsUntilError<{ Ref: string }>(host.call(path))).items.map(({ Ref }) => Ref).sort()
  const listed = await list('repo/ls')
  t.is(listed.length, 21)
  for (const cid of cids) t.true(listed.includes(cid))
  t.deepEqual(await list('refs/local'), listed)
})

for (const inlineUpTo of [0, 4096]) {
  test(`repo/verify counts every block of a whole repo, those up to ${inlineUpTo} bytes in the database`, async t => {
    const { host } = await repoHost(t, { storage: { inlineUpTo } })
    await putMany(host, 50)
    await putMany(host, 3, 300_000)
    const { items, error } = await verify(host)
    t.is(error, undefined)
    t.deepEqual(items.pop(), { Msg: COMPLETE, Progress: 0 })
    t.deepEqual(
      items,
      Array.from({ length: 54 }, (_, i) => ({ Msg: '', Progress: i + 1 }))
    )
  })
}

test('a block whose file was changed, cut off or taken away is named before it is counted, and repo/verify fails late', async t => {
  const { host, repo } = await repoHost(t)
  const cids = await putMany(host, 12)
  const [changed, cut, empty, lost] = cids.slice(4) as [string, string, string, string]
  await writeFile(fileOf(repo, changed), 'DAMAGED')
  await truncate(fileOf(repo, cut), 999)
  await truncate(fileOf(repo, empty), 0)
  await rm(fileOf(repo, lost))
  const { items, error } = await verify(host)
  t.is(error, 'verify complete, some blocks were corrupt')
  t.deepEqual(
    items.filter(({ Msg }) => Msg === ''),
    Array.from({ length: 13 }, (_, i) => ({ Msg: '', Progress: i + 1 }))
  )
  t.deepEqual(
    items.flatMap(({ Msg }) => (Msg === '' ? [] : Msg)).sort(),
    [
      ...[changed, cut, empty].map(cid => `block ${cid} was corrupt (${CORRUPT})`),
      `block ${lost} was corrupt (the store lists it, but its bytes are gone)`
    ].sort()
  )
  for (const [i, { Msg, Progress }] of items.entries()) {
    if (Msg !== '') t.deepEqual([Progress, items[i + 1]?.Msg], [0, ''])
  }
})

test('repo/verify removes nothing, and what is put again is whole again', async t => {
  const { host, repo } = await repoHost(t)
  const [cut, lost] = (await putMany(host, 2)) as [string, string]
  await truncate(fileOf(repo, cut), 10)
  await rm(fileOf(repo, lost))
  t.is((await faults(host)).length, 2)
  t.is((await faults(host)).length, 2)
  t.is((await stat(host)).NumObjects, 3)
  await putMany(host, 2)
  t.deepEqual(await faults(host), [COMPLETE])
})

test('a block under a hash function that this node does not know is named', async t => {
  const store = new MemoryBlockstore()
  await store.putBytes(new Uint8Array([0x80, 0x22, 4, 1, 2, 3, 4]), new Uint8Array(4))
  await store.putBytes(sample(1).multihash, sample(1).bytes)
  const host = await testHost({ services: [ready(Blockstore, store)] })
  t.teardown(() => host.stop())
  t.deepEqual(await faults(host), ['block bafkyaiqeaebagba was corrupt (unknown multihash code 4352 (0x1100): no such hash registered)'])
})

test('who leaves repo/verify stops it, while a block is waited for', async t => {
  const store = new MemoryBlockstore()
  await store.putBytes(sample(1).multihash, sample(1).bytes)
  const host = await testHost({ services: [ready(Blockstore, store)] })
  t.teardown(() => host.stop())
  const controller = new AbortController()
  const waited = new Promise<void>(resolve => {
    store.getBytes = () => {
      resolve()
      return new Promise(() => {})
    }
  })
  const verifying = verify(host, controller.signal)
  await waited
  controller.abort()
  t.is((await verifying).error, 'context canceled')
})

test('as text, progress stays on one line and bad blocks have lines of their own', t => {
  const text = verifyCommand.text as (line: Verified) => string
  t.is(text({ Msg: '', Progress: 7 }), '7 blocks processed.\r')
  t.is(text({ Msg: 'block x was corrupt (y)', Progress: 0 }), 'block x was corrupt (y)\n')
})
