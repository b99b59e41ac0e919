/** A new database of what can be read of a damaged one. */
import { cp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Key } from 'interface-datastore'
import { finishSalvage, salvage } from '../../../../plugins/storage-rocksdb/salvage.ts'
import { storageSettings } from '../../../../plugins/storage-rocksdb/settings.ts'
import { Table } from '../../../../plugins/storage-rocksdb/tables/table.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { openRocks } from '../backends.ts'
import { hex, samples } from '../samples.ts'

const small = samples(300, 1200)
const large = samples(310, 9000).slice(300)
const keys = ['/pins/a', '/names/b', '/local/c', ...Array.from({ length: 200 }, (_, i) => `/pins/${i}`)].map(name => new Key(name))
const gone = new Key('/pins/gone')

/** A repo with some of its writes in tables and some in a log, as a kill leaves it. */
async function killed(t: ExecutionContext): Promise<string> {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo)
  await first.blocks.putAll([...small.slice(0, 200), ...large.slice(0, 5)])
  for (const key of [gone, ...keys]) await first.data.put(key, Buffer.from('old'))
  await first.storage.close()
  const { storage, blocks, data } = await openRocks(repo)
  await blocks.putAll(small.slice(200))
  await blocks.putAll(large.slice(5))
  for (const key of keys) await data.put(key, Buffer.from(key.toString()))
  await data.delete(gone)
  await storage.sync()
  await cp(repo, `${repo}-copy`, { recursive: true })
  t.teardown(() => rm(`${repo}-copy`, { recursive: true, force: true }))
  await storage.close()
  return `${repo}-copy`
}

async function salvaged(repo: string): Promise<string[]> {
  const lines: string[] = []
  await salvage(repo, storageSettings.parse({}), line => lines.push(line))
  return lines
}

/** All is there, but for the blocks that are named. */
async function holds(t: ExecutionContext, repo: string, lost: readonly string[] = []): Promise<void> {
  const { storage, blocks, data } = await openRocks(repo)
  for (const { multihash, bytes } of [...small, ...large])
    if (!lost.includes(hex(multihash))) t.deepEqual(await blocks.getBytes(multihash), bytes, hex(multihash))
  for (const key of keys) t.is(Buffer.from(await data.get(key)).toString(), key.toString())
  t.false(await data.has(gone))
  await storage.close()
}

async function largestTable(repo: string): Promise<string> {
  const paths = (await readdir(join(repo, 'db'))).filter(name => name.endsWith('.sst')).map(name => join(repo, 'db', name))
  const sizes = await Promise.all(paths.map(async path => (await stat(path)).size))
  return paths[sizes.indexOf(Math.max(...sizes))]!
}

/** Part of a file is zeros. Keys begin as the one before does, so that they are looked for by their ends. */
async function zero(path: string, at: number, length: number): Promise<void> {
  const bytes = await readFile(path)
  bytes.fill(0, at < 0 ? bytes.length + at : at, (at < 0 ? bytes.length + at : at) + length)
  await writeFile(path, bytes)
}

const named = async (repo: string, prefix: string) =>
  join(repo, 'db', (await readdir(join(repo, 'db'))).find(name => name.startsWith(prefix))!)

const damages: Record<string, (repo: string) => Promise<unknown>> = {
  nothing: async () => {},
  'the end of a table': async repo => zero(await largestTable(repo), -40, 20),
  'all but the keys of a table': async repo => {
    const path = await largestTable(repo)
    const table = await Table.open(path, false)
    const { offset, size } = table.pieces!.at(-1)!
    await table.close()
    await zero(path, offset + size + 5, (await stat(path)).size - offset - size - 5)
  },
  'CURRENT is gone': async repo => rm(await named(repo, 'CURRENT')),
  'CURRENT names nothing': async repo => writeFile(await named(repo, 'CURRENT'), 'nothing'),
  'the beginning of MANIFEST': async repo => zero(await named(repo, 'MANIFEST'), 0, 60),
  'MANIFEST is gone': async repo => rm(await named(repo, 'MANIFEST'))
}

for (const [what, damage] of Object.entries(damages))
  test(`a salvage brings back all that is whole: ${what}`, async t => {
    const repo = await killed(t)
    await damage(repo)
    const lines = await salvaged(repo)
    const told = lines.at(-1)!
    const [, kept] = /the old one in (\S+):/.exec(told) ?? []
    t.true(
      (await readdir(kept!)).some(name => name.endsWith('.sst')),
      told
    )
    t.false(
      lines.some(line => /^lost/.test(line)),
      lines.join('\n')
    )
    await holds(t, repo)
  })

test('a salvage names what is lost of a damaged part of a table, and keeps all else', async t => {
  const repo = await killed(t)
  const path = await largestTable(repo)
  const table = await Table.open(path, false)
  const piece = table.pieces![5]!
  await table.close()
  const bytes = await readFile(path)
  const inside = small.filter(({ multihash }) => {
    const at = bytes.indexOf(multihash.subarray(8))
    return at >= piece.offset && at < piece.offset + piece.size
  })
  await zero(path, bytes.indexOf(inside[1]!.multihash.subarray(8)) + 100, 50)
  const lines = await salvaged(repo)
  t.is(lines.filter(line => line.startsWith('lost: block ')).length, 1, lines.join('\n'))
  t.true(lines.some(line => line.startsWith(path) && line.includes(`at ${piece.offset}`)))
  await holds(t, repo, [hex(inside[1]!.multihash)])
})

test('without any database, the blocks of segments come back', async t => {
  const repo = await killed(t)
  await rm(join(repo, 'db'), { recursive: true })
  await rm(join(repo, 'journal'), { recursive: true })
  const lines = await salvaged(repo)
  t.true(lines.includes(`${large.length} blocks were found in segments`), lines.join('\n'))
  const { storage, blocks } = await openRocks(repo)
  for (const { multihash, bytes } of large) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await storage.close()
})

test('a salvage that was killed between its two renames is ended by the next start', async t => {
  const repo = await killed(t)
  await salvaged(repo)
  await rename(join(repo, 'db'), join(repo, 'db.salvaged'))
  await finishSalvage(repo)
  await holds(t, repo)
})

test('a salvage that fails leaves the old database as it was', async t => {
  const repo = await killed(t)
  const before = (await readdir(join(repo, 'db'))).sort()
  await rm(join(repo, 'segments'), { recursive: true })
  await writeFile(join(repo, 'segments'), 'no folder')
  await t.throwsAsync(salvaged(repo))
  t.deepEqual((await readdir(join(repo, 'db'))).sort(), before)
  t.false((await readdir(repo)).some(name => name.startsWith('db.')))
})
