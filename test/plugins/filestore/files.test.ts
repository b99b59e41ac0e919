import { execFile } from 'node:child_process'
import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { parseCid } from '../../../core/cid/parse.ts'
import { Datastore, Key, References } from '../../../core/index.ts'
import { itemsOf, upload } from '../../../host/testing.ts'
import { keyOf } from '../../../plugins/filestore/record.ts'
import { forgetBad } from '../../../plugins/filestore/removal.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { node } from './host.ts'

test('a file stays where it is, and what it becomes of it is told: changed, short, empty, gone, back again', async t => {
  const { folder, hashOf, lines, cat } = await node(t)
  const file = join(folder, 'a')
  await writeFile(file, 'twenty-seven bytes of text\n')
  const hash = await hashOf(file, 'twenty-seven bytes of text\n')
  t.is(await cat(hash), 'twenty-seven bytes of text\n')
  const verified = async () => {
    const [{ Status, ErrorMsg, FilePath, Offset, Size }] = (await lines('filestore/verify', [hash])) as [never]
    t.deepEqual([FilePath, Offset, Size], ['a', 0, 27])
    return [Status, ErrorMsg]
  }
  t.deepEqual(await verified(), [0, ''])
  await writeFile(file, 'Twenty-seven bytes of text\n')
  t.deepEqual(await verified(), [12, 'data in file did not match. a offset 0'])
  await t.throwsAsync(cat(hash), { message: 'data in file did not match. a offset 0' })
  await truncate(file, 5)
  t.deepEqual(await verified(), [12, 'unexpected EOF'])
  await t.throwsAsync(cat(hash), { message: 'unexpected EOF' })
  await truncate(file, 0)
  t.deepEqual(await verified(), [12, 'EOF'])
  await rm(file)
  t.deepEqual(await verified(), [11, `open ${file}: no such file or directory`])
  await t.throwsAsync(cat(hash), { message: `open ${file}: no such file or directory` })
  const [listed] = await lines('filestore/ls')
  t.is(listed?.Status, 0, 'a list without names looks at no file')
  await writeFile(file, 'twenty-seven bytes of text\nand more')
  t.deepEqual(await verified(), [0, ''])
})

test('a stored copy is read in place of a file that has changed, and both are found', async t => {
  const { folder, host, hashOf, cat } = await node(t)
  const file = join(folder, 'a')
  await writeFile(file, 'same')
  const hash = await hashOf(file, 'same')
  const dups = async () => (await itemsOf<{ Ref: string }>(await host.call('filestore/dups'))).map(({ Ref }) => Ref)
  t.deepEqual(await dups(), [])
  await itemsOf(await host.call('add', { options: { rawLeaves: true }, body: upload('same') }))
  t.deepEqual(await dups(), [hash])
  await rm(file)
  t.is(await cat(hash), 'same')
})

test('a reference that is still good stays, and one that has gone bad gives way to a new one', async t => {
  const { folder, hashOf, lines, cat } = await node(t)
  const [a, b] = [join(folder, 'a'), join(folder, 'b')]
  for (const file of [a, b]) await writeFile(file, 'same')
  const hash = await hashOf(a, 'same')
  await hashOf(b, 'same')
  t.is((await lines('filestore/ls'))[0]?.FilePath, 'a')
  await rename(a, join(folder, 'moved'))
  await hashOf(b, 'same')
  t.is((await lines('filestore/ls'))[0]?.FilePath, 'b')
  t.is(await cat(hash), 'same')
})

test('files of many blocks are listed in the order of the files and of their blocks in them', async t => {
  const { folder, hashOf, lines, cat } = await node(t)
  await writeFile(join(folder, 'b'), 'abcdefghij')
  await writeFile(join(folder, 'a'), 'a')
  const hash = await hashOf(join(folder, 'b'), 'abcdefghij', { chunker: 'size-4' })
  await hashOf(join(folder, 'a'), 'a')
  const places = (await lines('filestore/verify', [], { fileOrder: true })).map(({ FilePath, Offset, Size, Status }) => [
    FilePath,
    Offset,
    Size,
    Status
  ])
  t.deepEqual(places, [
    ['a', 0, 1, 0],
    ['b', 0, 4, 0],
    ['b', 4, 4, 0],
    ['b', 8, 2, 0]
  ])
  t.is(await cat(hash), 'abcdefghij')
})

test('nothing outside of the folders that may be referred to is noted, or read through a symlink', async t => {
  const other = await temporaryFolder(t)
  const { folder, hashOf, lines, cat } = await node(t)
  await writeFile(join(other, 'secret'), 'secret')
  for (const path of [join(other, 'secret'), `${folder}/../${basename(other)}/secret`, 'secret', folder, `${folder}/repo/../..`]) {
    await t.throwsAsync(
      hashOf(path, 'secret'),
      { code: 'E_REFERENCE_OUTSIDE', message: `cannot add filestore references outside ipfs root (${folder})` },
      path
    )
  }
  t.deepEqual(await lines('filestore/ls'), [])
  await symlink(join(other, 'secret'), join(folder, 'link'))
  await t.throwsAsync(hashOf(join(folder, 'link'), 'secret'), { code: 'E_REFERENCE_LINK', message: /plugins\.filestore\.roots/ })
  t.deepEqual(await lines('filestore/ls'), [], 'nor is what a symlink leads out to')
  await mkdir(join(folder, 'd'))
  await writeFile(join(folder, 'd/secret'), 'secret')
  const hash = await hashOf(join(folder, 'd/secret'), 'secret')
  await rm(join(folder, 'd'), { recursive: true })
  await symlink(other, join(folder, 'd'))
  await t.throwsAsync(cat(hash), { code: 'E_REFERENCE_LINK' })
  t.is((await lines('filestore/verify', [hash]))[0]?.Status, 10)
})

test('what is no file is refused, and a pipe is not waited for', async t => {
  const { folder, hashOf } = await node(t)
  await promisify(execFile)('mkfifo', [join(folder, 'pipe')])
  await mkdir(join(folder, 'dir'))
  for (const name of ['pipe', 'dir']) await t.throwsAsync(hashOf(join(folder, name), name), { code: 'E_REFERENCE_KIND' }, name)
})

test('other folders may be referred to where a setting names them, and that of the repo then no more', async t => {
  const other = await temporaryFolder(t)
  const { folder, hashOf, lines, cat } = await node(t, { settings: { roots: [other] } })
  await writeFile(join(other, 'a'), 'a')
  const hash = await hashOf(join(other, 'a'), 'a')
  t.is(await cat(hash), 'a')
  t.is((await lines('filestore/ls'))[0]?.FilePath, join(other, 'a'))
  await t.throwsAsync(hashOf(join(folder, 'b'), 'b'), { message: `cannot add filestore references outside ipfs root (${other})` })
})

test('a collection removes references that nothing keeps, and block/rm a single one; pinned ones stay', async t => {
  const { folder, host, hashOf, lines, cat } = await node(t)
  for (const name of ['a', 'b', 'c']) await writeFile(join(folder, name), name)
  const [a, , c] = [
    await hashOf(join(folder, 'a'), 'a'),
    await hashOf(join(folder, 'b'), 'b', { pin: false }),
    await hashOf(join(folder, 'c'), 'c', { pin: false })
  ]
  t.deepEqual(await itemsOf(await host.call('block/rm', { args: [c] })), [{ Hash: c }])
  await itemsOf(await host.call('repo/gc'))
  t.deepEqual(
    (await lines('filestore/ls')).map(({ FilePath }) => FilePath),
    ['a']
  )
  t.is(await cat(a), 'a')
  t.like(await host.call('block/stat', { args: [a] }), { Key: a, Size: 1 })
})

test('a file without a path, an empty file, and one that is only hashed leave no reference', async t => {
  const { folder, add, lines } = await node(t)
  await t.throwsAsync(add(undefined, 'x'), { message: "missing file path or URL, can't create filestore reference" })
  await add(join(folder, 'empty'), '')
  await add(join(folder, 'x'), 'x', { onlyHash: true })
  t.deepEqual(await lines('filestore/ls'), [])
})

test('a record that is broken is listed as such, and its block cannot be read', async t => {
  const { folder, host, hashOf, lines } = await node(t)
  await writeFile(join(folder, 'a'), 'a')
  const hash = await hashOf(join(folder, 'a'), 'a')
  const { multihash } = parseCid(hash)
  const datastore = host.service(Datastore)!
  await datastore.put(keyOf(multihash.bytes), Uint8Array.of(0x0a, 200))
  await datastore.put(new Key('/filestore/NO-MULTIHASH'), Uint8Array.of(1))
  const [line, ...others] = await lines('filestore/ls')
  t.deepEqual(others, [])
  t.is(line?.Status, 20)
  t.regex(line?.ErrorMsg ?? '', /the record of a reference is broken/)
  await t.throwsAsync(host.call('block/get', { args: [hash] }), { message: /the record of a reference is broken/ })
})

test('a list that would sort more references than the setting allows is refused, and without sorting is not', async t => {
  const { folder, hashOf, lines } = await node(t, { settings: { maxSorted: 1 } })
  for (const name of ['a', 'b']) {
    await writeFile(join(folder, name), name)
    await hashOf(join(folder, name), name)
  }
  await t.throwsAsync(lines('filestore/ls', [], { fileOrder: true }), {
    code: 'E_REFERENCES_SORTED',
    message: /plugins\.filestore\.maxSorted/
  })
  t.is((await lines('filestore/ls')).length, 2)
})

test('without the switches of the node configuration nothing is referred to', async t => {
  const off = { 'Experimental.FilestoreEnabled': false, 'Experimental.UrlstoreEnabled': false }
  const { folder, host, hashOf, lines } = await node(t, { overrides: off })
  await t.throwsAsync(hashOf(join(folder, 'a'), 'a'), { code: 'E_NOCOPY_OFF' })
  for (const path of ['filestore/ls', 'filestore/verify'] as const) await t.throwsAsync(lines(path), { code: 'E_FILESTORE_OFF' })
  await t.throwsAsync(async () => itemsOf(await host.call('filestore/dups')), { code: 'E_FILESTORE_OFF' })
})

test('references that cannot be read are forgotten where that is asked for, and those that can stay', async t => {
  const { folder, hashOf, lines } = await node(t)
  const names = ['changed', 'gone', 'good', 'named']
  const hashes: Record<string, string> = {}
  for (const name of names) {
    await writeFile(join(folder, name), `what ${name} says\n`)
    hashes[name] = await hashOf(join(folder, name), `what ${name} says\n`)
  }
  await writeFile(join(folder, 'changed'), 'what ChangeD says\n')
  for (const name of ['gone', 'named']) await rm(join(folder, name))
  const statuses = (found: Awaited<ReturnType<typeof lines>>) => found.map(({ FilePath, Status }) => [FilePath, Status])
  const all = [
    ['changed', 12],
    ['gone', 11],
    ['good', 0],
    ['named', 11]
  ]
  t.deepEqual(statuses(await lines('filestore/verify', [], { fileOrder: true })), all)
  const named = await lines('filestore/verify', [hashes['named']!, hashes['good']!, 'nonsense'], { removeBadBlocks: true })
  t.deepEqual(statuses(named), [
    ['named', 11],
    ['good', 0],
    ['', 20]
  ])
  t.deepEqual(statuses(await lines('filestore/verify', [], { fileOrder: true, removeBadBlocks: true })), all.slice(0, 3))
  t.deepEqual(
    (await lines('filestore/ls')).map(({ FilePath }) => FilePath),
    ['good']
  )
})

test('a reference that was noted anew since it was looked at is not forgotten', async t => {
  const { folder, host, hashOf, lines } = await node(t)
  const [old, anew] = [join(folder, 'old'), join(folder, 'new')]
  for (const file of [old, anew]) await writeFile(file, 'same')
  const hash = await hashOf(old, 'same')
  await rm(old)
  const [found] = await lines('filestore/verify', [hash])
  await hashOf(anew, 'same')
  const references = host.service(References)!
  await forgetBad(parseCid(hash).multihash.bytes, found!, { references, barrier: undefined })
  t.deepEqual(
    (await lines('filestore/verify')).map(({ FilePath, Status }) => [FilePath, Status]),
    [['new', 0]]
  )
})
