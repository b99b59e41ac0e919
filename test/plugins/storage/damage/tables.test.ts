/** Tables of RocksDB with wrong bits: one is turned back; more are gone past, and named. */
import { cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Key } from 'interface-datastore'
import { checkBlocks } from '../../../../plugins/repo/check.ts'
import { salvage } from '../../../../plugins/storage-rocksdb/salvage.ts'
import { storageSettings } from '../../../../plugins/storage-rocksdb/settings.ts'
import { readLog } from '../../../../plugins/storage-rocksdb/tables/logs.ts'
import { Table } from '../../../../plugins/storage-rocksdb/tables/table.ts'
import { bitFor, LONG, xxh3Low } from '../../../../plugins/storage-rocksdb/tables/xxh3.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { seeded } from '../../../helpers/random.ts'
import { all } from '../../../helpers/streams.ts'
import { openRocks, segmentsOf } from '../backends.ts'
import { hex, type Sample, samples } from '../samples.ts'
import { flip } from './repo.ts'

const { signal } = new AbortController()
const keys = Array.from({ length: 300 }, (_, i) => new Key(`/pins/${String(i).padStart(4, '0')}`))

/** A repo of small blocks and keys, all in tables. */
async function filled(t: ExecutionContext, count = 400) {
  const repo = await temporaryFolder(t)
  const { storage, blocks, data } = await openRocks(repo)
  const small = samples(count, 1200)
  await blocks.putAll(small)
  for (const key of keys) await data.put(key, key.uint8Array())
  await storage.close()
  return { repo, small }
}

interface FoundTable {
  readonly path: string
  readonly pieces: ReadonlyArray<{ readonly offset: number; readonly size: number }>
}

/** The tables of a repo, with their pieces; that of the most first. */
async function tablesOf(repo: string): Promise<FoundTable[]> {
  const folder = join(repo, 'db')
  const found = await Promise.all(
    (await readdir(folder))
      .filter(name => name.endsWith('.sst'))
      .map(async name => {
        const path = join(folder, name)
        const table = await Table.open(path, false)
        await table.close()
        return { path, pieces: table.pieces! }
      })
  )
  return found.sort((one, other) => other.pieces.length - one.pieces.length)
}

/** More than a bit is wrong in a piece of the blocks' table. @returns the multihashes of the blocks whose bytes are damaged, as hex */
async function smash({ repo, small }: { repo: string; small: readonly Sample[] }, piece = 20): Promise<{ path: string; damaged: string }> {
  const [{ path, pieces }] = (await tablesOf(repo)) as [FoundTable]
  const at = pieces[piece]!.offset + 600
  await flip(path, at, 1)
  await flip(path, at + 1, 2)
  const file = await readFile(path)
  const damaged = small.find(({ multihash }) => {
    // A key begins as the one before does.
    const begin = file.indexOf(multihash.subarray(8)) + 26
    return begin >= 26 && begin <= at && at < begin + 1208
  })!
  return { path, damaged: hex(damaged.multihash) }
}

test('a wrong bit of a table is turned back by who meets it, and nothing is lost', async t => {
  const { repo, small } = await filled(t)
  const tables = await tablesOf(repo)
  for (const { path, pieces } of tables.slice(0, 2)) {
    const before = await readFile(path)
    const last = pieces.at(-1)!
    const end = last.offset + last.size
    for (const at of [
      pieces[0]!.offset + 50,
      last.offset + 30,
      end + 2,
      end + 100,
      before.length - 200,
      before.length - 60,
      before.length - 10
    ]) {
      // Its own copy, as each start may merge tables.
      const copy = `${repo}-${at}`
      await cp(repo, copy, { recursive: true })
      t.teardown(() => rm(copy, { recursive: true, force: true }))
      const table = path.replace(repo, copy)
      await flip(table, at)
      const { storage, blocks, data } = await openRocks(copy)
      t.is((await all(blocks.listMultihashes())).length, small.length)
      for (const { multihash, bytes } of small) t.deepEqual(await blocks.getBytes(multihash), bytes)
      for (const key of keys) t.deepEqual(await data.get(key), key.uint8Array())
      await storage.close()
      const now = await readFile(table).catch(() => before)
      t.true(now.equals(before) || at >= end, `byte ${at} of ${before.length}`)
    }
  }
})

test('a scan goes past a damaged part of a table, and names it with the blocks in it that are damaged', async t => {
  const repo = await filled(t)
  const { path, damaged } = await smash(repo)
  const { storage, blocks } = await openRocks(repo.repo)
  const listed = await all(blocks.listMultihashes())
  t.is(new Set(listed.map(hex)).size, repo.small.length)
  t.is((await blocks.totals()).blocks, repo.small.length)
  const faults = (await all(checkBlocks(blocks, signal))).filter(fault => fault !== undefined)
  t.deepEqual(
    faults.map(({ multihash }) => hex(multihash)),
    [damaged]
  )
  t.true(faults[0]!.says.includes(path) && /keys from 1220\w+ to 1220\w+/.test(faults[0]!.says), faults[0]!.says)
  for (const { multihash, bytes } of repo.small) if (hex(multihash) !== damaged) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await storage.close()
})

test('a damaged block heals when it is added again, or goes when it is removed', async t => {
  for (const how of ['put', 'putAll', 'delete'] as const) {
    const repo = await filled(t)
    const { damaged } = await smash(repo)
    const { storage, blocks } = await openRocks(repo.repo)
    const one = repo.small.find(({ multihash }) => hex(multihash) === damaged)!
    await t.throwsAsync(blocks.getBytes(one.multihash), { code: 'E_STORAGE_DAMAGED' })
    if (how === 'put') await blocks.putBytes(one.multihash, one.bytes)
    else if (how === 'putAll') await blocks.putAll([one])
    else await blocks.deleteAll([one.multihash])
    t.deepEqual(await blocks.getBytes(one.multihash), how === 'delete' ? undefined : one.bytes)
    t.deepEqual(
      (await all(checkBlocks(blocks, signal))).filter(fault => fault !== undefined),
      []
    )
    await storage.close()
  }
})

test('keys that are not blocks are never passed over in silence', async t => {
  const { repo } = await filled(t)
  for (const { path, pieces } of await tablesOf(repo)) {
    const table = await readFile(path)
    if (!table.includes('/pins/')) continue
    await flip(path, pieces[0]!.offset + 100, 1)
    await flip(path, pieces[0]!.offset + 101, 2)
  }
  const { storage, data } = await openRocks(repo)
  const error = await t.throwsAsync(all(data.query({ prefix: '/pins/' })), { code: 'E_STORAGE_DAMAGED' })
  t.regex(error!.message, /\.sst is damaged at \d+, with the keys from \/pins\/\d+ to .*salvage/)
  await storage.close()
})

test('every wrong bit of a log is found and turned back, and a torn end is none', async t => {
  const { repo } = await filled(t, 3)
  const name = (await readdir(join(repo, 'db'))).find(one => one.startsWith('MANIFEST'))!
  const log = await readFile(join(repo, 'db', name))
  const { records } = readLog(Buffer.from(log))
  for (let bit = 0; bit < log.length * 8; bit += 3) {
    const damaged = Buffer.from(log)
    damaged[bit >> 3]! ^= 1 << (bit & 7)
    const { mended } = readLog(damaged)
    t.deepEqual(mended, [bit >> 3])
    if (!damaged.equals(log)) t.fail(`bit ${bit}`)
  }
  for (let end = 0; end < log.length; end += 7) {
    const torn = readLog(Buffer.from(log.subarray(0, end)))
    t.deepEqual([torn.mended, torn.behind], [[], 0])
    t.deepEqual(torn.records, records.slice(0, torn.records.length))
  }
})

/** A piece of a table is zeros, as where a disk lost a sector: not even its keys can be read. */
async function zero(path: string, { offset, size }: { offset: number; size: number }): Promise<void> {
  const bytes = await readFile(path)
  await writeFile(path, bytes.fill(0, offset, offset + size + 5))
}

test('keys are not passed over in silence where not even they can be read', async t => {
  const { repo } = await filled(t)
  for (const { path, pieces } of await tablesOf(repo)) if ((await readFile(path)).includes('/pins/')) await zero(path, pieces[0]!)
  const { storage, data } = await openRocks(repo)
  await t.throwsAsync(all(data.query({ prefix: '/pins/' })), { code: 'E_STORAGE_DAMAGED' })
  await t.throwsAsync(all(data.queryKeys({ prefix: '/pins/' })), { code: 'E_STORAGE_DAMAGED' })
  await storage.close()
})

test('verify names a part of a table of which not even keys can be read, and lists go past it', async t => {
  const { repo, small } = await filled(t)
  const [{ path, pieces }] = (await tablesOf(repo)) as [FoundTable]
  await zero(path, pieces[20]!)
  const { storage, blocks } = await openRocks(repo)
  const listed: Uint8Array[] = []
  const error = await t.throwsAsync(async () => {
    for await (const multihash of blocks.listMultihashes()) listed.push(multihash)
  })
  t.true(error!.message.includes(`${path} is damaged at ${pieces[20]!.offset}`), error!.message)
  t.true(listed.length > small.length - 20 && listed.length < small.length, String(listed.length))
  t.true(listed.every(multihash => small.some(one => hex(one.multihash) === hex(multihash))))
  t.is((await blocks.totals()).blocks, small.length, 'as they were counted before')
  const faults = (await all(checkBlocks(blocks, signal))).filter(fault => fault !== undefined)
  t.is(faults.length, 1)
  t.true(faults[0]!.says.includes(`${path} is damaged at ${pieces[20]!.offset}`), faults[0]!.says)
  await storage.close()
})

/** The same with the keys of its second piece. */
async function withKeys(found: FoundTable): Promise<FoundTable & { readonly inside: ReadonlySet<string> }> {
  const table = await Table.open(found.path, false)
  const { entries } = found.pieces[1] === undefined ? { entries: [] } : await table.read(found.pieces[1], false)
  await table.close()
  return { ...found, inside: new Set(entries.length === 0 ? ['none'] : entries.map(({ key }) => hex(key))) }
}

test('no segment goes while the keys that may name it cannot be read', async t => {
  const repo = await temporaryFolder(t)
  const options = { inlineUpTo: 0, segmentSize: 1 << 20 }
  const large = samples(400, 9000)
  const first = await openRocks(repo, options)
  for (const { multihash, bytes } of large) await first.blocks.putBytes(multihash, bytes)
  await first.storage.close()
  const { storage, blocks } = await openRocks(repo, options)
  // Of each segment, the keys of one piece alone are left.
  const all = new Set(large.map(({ multihash }) => hex(multihash)))
  const { path, pieces, inside } = (await Promise.all((await tablesOf(repo)).map(withKeys))).find(({ inside }) =>
    [...inside].every(key => all.has(key))
  )!
  await blocks.deleteAll(large.filter(({ multihash }) => !inside.has(hex(multihash))).map(({ multihash }) => multihash))
  await zero(path, pieces[1]!)
  const before = await segmentsOf(repo)
  await t.throwsAsync(blocks.tidy(), { code: 'E_STORAGE_DAMAGED' })
  t.deepEqual(await segmentsOf(repo), before)
  await storage.close()
})

test('a damaged part of a table within the range of a damaged part of another is named as well', async t => {
  const repo = await temporaryFolder(t)
  const all = samples(800, 1200)
  for (const some of [all.slice(0, 60), all.slice(60)]) {
    const { storage, blocks } = await openRocks(repo)
    await blocks.putAll(some)
    await storage.close()
  }
  const ofBlocks = async ({ path }: FoundTable) => {
    const table = await Table.open(path, false)
    await table.close()
    return { path, pieces: table.pieces! }
  }
  const [dense, sparse] = await Promise.all((await tablesOf(repo)).slice(0, 2).map(ofBlocks))
  t.true(sparse!.pieces.length > 5)
  const [before, around] = [sparse!.pieces[3]!, sparse!.pieces[4]!]
  const inside = dense!.pieces.findIndex(({ last }, i) => {
    const first = dense!.pieces[i - 1]?.last
    return first !== undefined && Buffer.compare(first, before.last!) > 0 && Buffer.compare(last!, around.last!) < 0
  })
  t.true(inside > 0)
  await flip(sparse!.path, around.offset + 600, 1)
  await flip(sparse!.path, around.offset + 601, 2)
  await zero(dense!.path, dense!.pieces[inside]!)
  const { storage, blocks } = await openRocks(repo)
  const said: string[] = []
  for await (const fault of checkBlocks(blocks, signal)) if (fault !== undefined) said.push(fault.says)
  for (const [path, { offset }] of [
    [sparse!.path, around],
    [dense!.path, dense!.pieces[inside]!]
  ] as const)
    t.true(
      said.some(one => one.includes(`${path} is damaged at ${offset},`)),
      `${path} at ${offset}: ${said.join('; ')}`
    )
  await storage.close()
})

test('a wrong bit is found in a piece of any length, wherever it lies', async t => {
  const random = seeded(7)
  for (const length of [240, 241, 320, 1024, 1025, 1088, 1089, 2048, 8192, 20_001]) {
    const bytes = Buffer.from(random.bytes(length))
    const sum = xxh3Low(bytes)
    for (const at of [0, 63, 64, length >> 1, length - 73, length - 65, length - 1]) {
      const mask = 1 << random.below(8)
      bytes[at]! ^= mask
      const found = length < LONG ? undefined : [...bitFor(bytes, sum)].at(-1)
      // What a search by the hash leaves out is tried bit by bit.
      t.deepEqual(found, length < LONG || at >= ((length - 64) & ~3) ? undefined : { at, mask }, `${at} of ${length}`)
      bytes[at]! ^= mask
    }
  }
})

/** Makes a table of more than 64 MiB, as merges make them: here memory that was written out as one. */
const LARGE = { writeBuffer: 128 << 20 }

/** A repo with such a table. */
async function filledLarge(t: ExecutionContext) {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo, LARGE)
  const small = samples(18_500, 4000)
  for (let at = 0; at < small.length; at += 500) await blocks.putAll(small.slice(at, at + 500))
  await storage.close()
  const [{ path, pieces }] = (await tablesOf(repo)) as [FoundTable]
  const { size } = await stat(path)
  t.true(size > 64 << 20, String(size))
  return { repo, small, path, pieces, size }
}

test('a table of more than 64 MiB is mended, gone past and salvaged as any other', async t => {
  const { repo, small, path, pieces, size } = await filledLarge(t)
  const count = async (when: string, lost = 0) => {
    const { storage, blocks } = await openRocks(repo, LARGE)
    t.is(new Set((await all(blocks.listMultihashes())).map(hex)).size, small.length, when)
    const faults = (await all(checkBlocks(blocks, signal))).filter(fault => fault !== undefined)
    t.is(faults.length, lost, when)
    await storage.close()
  }
  // A bit of its index, which is the largest piece behind those with keys, before some KiB of properties.
  const last = pieces.at(-1)!
  t.true(size - (last.offset + last.size) > 100_000)
  await flip(path, size - 30_000, 3)
  await count('a wrong bit of the index')
  // More than a bit near its end.
  const far = pieces.find(({ offset }) => offset > 64 << 20)!
  await flip(path, far.offset + 2000, 1)
  await flip(path, far.offset + 2001, 2)
  await count('more than a bit beyond 64 MiB', 1)
  await flip(path, far.offset + 2000, 1)
  await flip(path, far.offset + 2001, 2)
  // Its end, and with it the index, is lost: its pieces are read one behind the other.
  await truncate(path, size - 20)
  await truncate(path, size)
  let steps = 0
  const lines: string[] = []
  await salvage(
    repo,
    storageSettings.parse(LARGE),
    line => lines.push(line),
    () => steps++
  )
  t.false(
    lines.some(line => line.startsWith('lost')),
    lines.join('\n')
  )
  t.true(steps > pieces.length, `${steps} steps of ${pieces.length}`)
  await count('salvaged')
})

test('a table whose index is lost is read through a window that its pieces do not end with', async t => {
  const { repo } = await filled(t)
  const [{ path, pieces }] = (await tablesOf(repo)) as [FoundTable]
  await truncate(path, (await stat(path)).size - 20)
  for (const window of [100, 9000, 16_384, 1 << 20]) {
    const table = await Table.open(path, false)
    t.is(table.pieces, undefined)
    const walked = await all(table.walk(window))
    t.deepEqual(
      walked,
      pieces.map(({ offset, size }) => ({ offset, size })),
      String(window)
    )
    for (const piece of [walked[0]!, walked.at(-1)!]) t.true((await table.read(piece, false)).isWhole)
    await table.close()
  }
})
