/** A new database of what can be read of a damaged one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Key } from 'interface-datastore'
import { createHost } from '../../../../host/index.ts'
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

/** A repo whose keys were written in turns, each of which ended as tables. */
async function inTables(t: ExecutionContext): Promise<string> {
  const repo = await temporaryFolder(t)
  for (const part of [0, 1, 2]) {
    const { storage, blocks, data } = await openRocks(repo)
    for (const { multihash, bytes } of large.slice(part * 3, part * 3 + 3)) await blocks.putBytes(multihash, bytes)
    await data.put(new Key(`/local/${part}`), Buffer.from(`${part}`))
    await storage.close()
  }
  return repo
}

const tablesIn = async (repo: string) => (await readdir(join(repo, 'db'))).filter(name => name.endsWith('.sst')).sort()

for (const how of ['missing', 'cut off', "another one's"] as const)
  test(`a salvage says which table is ${how}, and finds the blocks of segments that it named`, async t => {
    const repo = await inTables(t)
    const names = await tablesIn(repo)
    const keysOf = async (one: string) => {
      const table = await Table.open(join(repo, 'db', one), false)
      const { entries } = await table.read(table.pieces![0]!, false)
      await table.close()
      return entries.map(({ key }) => key.toString('hex'))
    }
    const [name] = (await Promise.all(names.map(async one => ((await keysOf(one)).includes(hex(large[0]!.multihash)) ? [one] : [])))).flat()
    const path = join(repo, 'db', name!)
    if (how === 'missing') await rm(path)
    else if (how === 'cut off') await writeFile(path, '')
    else {
      const bytes = await Promise.all(names.map(one => readFile(join(repo, 'db', one))))
      await writeFile(path, bytes.find(one => one.includes('/local/2'))!)
    }
    const lines = await salvaged(repo)
    t.true(
      lines.some(line => line.includes(name!)),
      lines.join('\n')
    )
    t.true(lines.includes('3 blocks were found in segments'), lines.join('\n'))
    t.true(lines.some(line => line.startsWith('pins may be among what is lost')))
    const { storage, blocks } = await openRocks(repo)
    for (const { multihash, bytes } of large.slice(0, 9)) t.deepEqual(await blocks.getBytes(multihash), bytes)
    await storage.close()
  })

test('a salvage takes nothing from tables that were merged into others, and are still there', async t => {
  const repo = await temporaryFolder(t)
  const [changed, removed] = [new Key('/local/changed'), new Key('/local/removed')]
  const write = async (value: string) => {
    const { storage, data } = await openRocks(repo)
    await data.put(changed, Buffer.from(value))
    await (value === 'old' ? data.put(removed, Buffer.from(value)) : data.delete(removed))
    await storage.database.writeThrough([])
    if (value === 'new') await storage.database.mergeTables('data')
    await storage.close()
  }
  await write('old')
  const aside = `${repo}-aside`
  await cp(join(repo, 'db'), aside, { recursive: true })
  t.teardown(() => rm(aside, { recursive: true, force: true }))
  await write('new')
  for (const name of await readdir(aside))
    if (/\.(?:sst|log)$/.test(name)) await cp(join(aside, name), join(repo, 'db', name), { force: false })
  await salvaged(repo)
  const { storage, data } = await openRocks(repo)
  t.is(Buffer.from(await data.get(changed)).toString(), 'new')
  t.false(await data.has(removed))
  await storage.close()
})

test('a salvage takes what the journal has over where the log of the database is gone', async t => {
  const repo = await temporaryFolder(t)
  const options = { journal: 64 * 1024 }
  const { storage, data } = await openRocks(repo, options)
  for (const [i, key] of keys.entries()) {
    await data.put(key, new Uint8Array(1000).fill(i))
    if (i % 50 === 0) await storage.sync()
  }
  await storage.database.writeThrough([])
  for (const key of keys.slice(0, 20)) await data.put(key, Buffer.from('last'))
  await cp(repo, `${repo}-copy`, { recursive: true })
  t.teardown(() => rm(`${repo}-copy`, { recursive: true, force: true }))
  await storage.close()
  const copy = `${repo}-copy`
  for (const name of await readdir(join(copy, 'db'))) if (name.endsWith('.log')) await rm(join(copy, 'db', name))
  const lines = await salvaged(copy)
  const again = await openRocks(copy, options)
  for (const key of keys.slice(0, 20)) t.is(Buffer.from(await again.data.get(key)).toString(), 'last', lines.join('\n'))
  t.is(again.storage.database.damage, undefined)
  await again.storage.close()
})

test('a salvage is refused while another process works on the database', async t => {
  const repo = await killed(t)
  const open =
    "const { openRocks } = await import(process.argv[1]); await openRocks(process.argv[2]); console.log('open'); setInterval(() => {}, 1000)"
  const other = spawn(process.execPath, ['--input-type=module', '-e', open, new URL('../backends.js', import.meta.url).href, repo])
  t.teardown(() => other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  const before = (await readdir(join(repo, 'db'))).sort()
  await t.throwsAsync(salvaged(repo), { code: 'E_STORAGE_OPEN', message: /another process/ })
  t.deepEqual((await readdir(join(repo, 'db'))).sort(), before)
  const death = once(other, 'exit')
  other.kill('SIGKILL')
  await death
  await salvaged(repo)
  await holds(t, repo)
})

test('what a killed salvage left goes with the next start of the old database', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const run = async () => {
    const host = await createHost({ repo: { path: repo, init: {} }, offline: 'a test', log: { level: 'silent' } })
    await host.start()
    await host.stop()
  }
  await run()
  await mkdir(join(repo, 'db.salvaged'))
  await mkdir(join(repo, 'db.salvaging'))
  await run()
  t.deepEqual(
    (await readdir(repo)).filter(name => name.startsWith('db')),
    ['db']
  )
})

test('each salvage keeps the database before it, however soon it follows another', async t => {
  const repo = await killed(t)
  const text = Date.prototype.toISOString
  t.teardown(() => {
    Date.prototype.toISOString = text
  })
  Date.prototype.toISOString = () => '2026-11-29T12:00:00.000Z'
  await salvaged(repo)
  await salvaged(repo)
  t.deepEqual((await readdir(repo)).filter(name => name.startsWith('db')).sort(), [
    'db',
    'db.before-20261129T120000Z',
    'db.before-20261129T120000Z-2'
  ])
  await holds(t, repo)
})
