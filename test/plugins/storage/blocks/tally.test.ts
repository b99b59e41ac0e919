import { createHash } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Tally } from '../../../../plugins/storage-rocksdb/blocks/tally.ts'
import type { Database } from '../../../../plugins/storage-rocksdb/database/database.ts'
import type { Ending } from '../../../../plugins/storage-rocksdb/database/ending.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { openRocks } from '../backends.ts'
import { sample, samples } from '../samples.ts'

type Opened = Awaited<ReturnType<typeof openRocks>>

const MANY = 6000
const ENDING = new TextEncoder().encode('ending')

/** A repo that a run left in order. */
async function ended(t: ExecutionContext, many = MANY): Promise<string> {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo)
  await blocks.putAll(samples(many))
  await storage.close()
  return repo
}

/** The totals, and how many blocks were read for them. */
async function asked({ storage, blocks }: Opened): Promise<{ blocks: number; bytes: number; read: number }> {
  const { database } = storage
  const entries = database.entries.bind(database)
  let read = 0
  database.entries = async function* (...args: Parameters<Database['entries']>) {
    for await (const entry of entries(...args)) {
      read++
      yield entry
    }
  }
  try {
    return { ...(await blocks.totals()), read }
  } finally {
    database.entries = entries
  }
}

/** The totals as a look at every block has them. */
async function counted({ blocks }: Opened): Promise<{ blocks: number; bytes: number }> {
  const totals = { blocks: 0, bytes: 0 }
  for await (const { size } of blocks.listBlocks()) {
    totals.blocks++
    totals.bytes += size
  }
  return totals
}

async function isRight(t: ExecutionContext, opened: Opened): Promise<void> {
  const { blocks, bytes } = await asked(opened)
  t.deepEqual({ blocks, bytes }, await counted(opened))
}

test('after a run that ended in order the totals are known without reading a block, from one run to the next', async t => {
  const repo = await ended(t)
  for (let run = 0; run < 3; run++) {
    const opened = await openRocks(repo)
    t.deepEqual(await asked(opened), { blocks: MANY, bytes: MANY * 100, read: 0 })
    await opened.storage.close()
  }
})

test('of what was written since only the neighbours are counted anew, and what is known then is known to the next run', async t => {
  const repo = await ended(t)
  const opened = await openRocks(repo)
  const { blocks, storage } = opened
  await blocks.putBytes(sample(MANY).multihash, sample(MANY).bytes)
  await blocks.putBytes(sample(7).multihash, sample(7).bytes)
  await blocks.deleteMultihash(sample(3).multihash)
  await blocks.putBytes(sample(0, 9000).multihash, sample(0, 9000).bytes)
  const { read, ...totals } = await asked(opened)
  t.deepEqual(totals, { blocks: MANY + 1, bytes: MANY * 100 + 9000 })
  t.true(read < 100, `${read} were read`)
  t.is((await asked(opened)).read, 0)
  await blocks.deleteMultihash(sample(4).multihash)
  await storage.close()

  const next = await openRocks(repo)
  const again = await asked(next)
  t.deepEqual([again.blocks, again.bytes], [MANY, MANY * 100 - 100 + 9000])
  t.true(again.read < 100, `${again.read} were read`)
  await next.storage.close()
})

test('the totals are right whatever is written, asked and ended in between', async t => {
  const repo = await temporaryFolder(t)
  const expected = new Map<number, number>()
  let opened = await openRocks(repo, { largeBlocks: 'files' })
  let step = 1
  for (let round = 0; round < 60; round++) {
    const many = round % 10 === 0 ? 900 : 5
    for (let i = 0; i < many; i++) {
      step = (step * 48_271) % 2_147_483_647
      const which = step % 3000
      const block = sample(which, which % 50 === 0 ? 6000 : 100)
      if (step % 7 < 2) {
        await opened.blocks.deleteMultihash(block.multihash)
        expected.delete(which)
      } else {
        await opened.blocks.putBytes(block.multihash, block.bytes)
        expected.set(which, block.bytes.byteLength)
      }
    }
    if (round % 3 === 0) {
      await opened.storage.close()
      opened = await openRocks(repo, { largeBlocks: 'files' })
    }
    const sizes = [...expected.values()]
    const sum = (of: number[]) => of.reduce((all, size) => all + size, 0)
    t.deepEqual(await opened.blocks.totals(), { blocks: sizes.length, bytes: sum(sizes) })
    t.deepEqual(await opened.blocks.filesInRepo(), { folder: 'blocks', bytes: sum(sizes.filter(size => size === 6000)) })
  }
  await opened.storage.close()
})

test('the totals are right after runs that ended in no order, whatever of their writes RocksDB had', async t => {
  const repo = await ended(t, 500)
  for (let run = 0; run < 4; run++) {
    const killed = await openRocks(repo)
    if (run % 2 === 0) await killed.blocks.totals()
    await killed.blocks.putBytes(sample(1000 + run).multihash, sample(1000 + run).bytes)
    await killed.blocks.deleteMultihash(sample(run).multihash)
    if (run === 2) await killed.storage.sync()
    if (run === 3) await killed.storage.database.mergeTables('blocks')
    // As it lies on the disk when the process dies.
    const left = join(await temporaryFolder(t), 'repo')
    await cp(repo, left, { recursive: true })
    await killed.storage.close()

    const opened = await openRocks(left)
    await isRight(t, opened)
    await opened.storage.close()
    const next = await openRocks(left)
    t.is((await asked(next)).read, 0)
    await isRight(t, next)
    await next.storage.close()
  }
})

test('a run that wrote nothing and died leaves no totals that a later one would believe', async t => {
  const repo = await ended(t, 500)
  const killed = await openRocks(repo)
  const left = join(await temporaryFolder(t), 'repo')
  await cp(repo, left, { recursive: true })
  await killed.storage.close()
  const opened = await openRocks(left)
  await isRight(t, opened)
  await opened.blocks.putBytes(sample(1000).multihash, sample(1000).bytes)
  await isRight(t, opened)
  await opened.storage.close()
})

/** A run that leaves something else. */
async function leaving(repo: string, change: (ending: Ending) => void): Promise<void> {
  const { storage } = await openRocks(repo)
  change(storage.database.ending)
  await storage.close()
}

test('what a program writes that knows nothing of the totals makes them void', async t => {
  const repo = await ended(t, 500)
  const { storage, blocks } = await openRocks(repo)
  storage.database.ending.leave = () => {}
  await blocks.putBytes(sample(1000).multihash, sample(1000).bytes)
  await storage.close()
  const opened = await openRocks(repo)
  t.deepEqual(await asked(opened), { blocks: 501, bytes: 50_100, read: 501 })
  await opened.storage.close()
})

test('totals that are absent, damaged or of another form are counted anew', async t => {
  const forms = [undefined, new Uint8Array(), Uint8Array.of(1, 0, 0), new Uint8Array(65_569).fill(9)]
  for (const form of forms) {
    const repo = await ended(t, 500)
    await leaving(repo, ending => {
      const leave = ending.leave.bind(ending)
      ending.leave = () => leave(() => form)
    })
    const opened = await openRocks(repo)
    t.is((await asked(opened)).read, 500)
    await isRight(t, opened)
    await opened.storage.close()
  }
})

test('totals of another database count for nothing, though its last batch has the same number', async t => {
  const [repo, other] = [await ended(t, 500), await ended(t, 700)]
  const theirs = await ofDatabase(other)
  await leaving(repo, ending => {
    ending.of = number => {
      const value = Buffer.from(theirs)
      value.writeUIntBE(number, 0, 6)
      return [{ family: 'state', key: ENDING, value }]
    }
  })
  const opened = await openRocks(repo)
  t.is((await opened.blocks.totals()).blocks, 500)
  await isRight(t, opened)
  await opened.storage.close()
})

/** The ending as a database has it. */
async function ofDatabase(repo: string): Promise<Uint8Array> {
  const { storage } = await openRocks(repo)
  const value = await storage.database.get('state', ENDING)
  await storage.close()
  return value!
}

test('the totals are right where the file with the name of the database was lost or changed', async t => {
  for (const name of [undefined, 'x', '0'.repeat(36)]) {
    const repo = await ended(t, 500)
    const path = join(repo, 'db', 'IDENTITY')
    t.is((await readFile(path)).byteLength, 36)
    if (name === undefined) await rm(path)
    else await writeFile(path, name)
    for (let run = 0; run < 2; run++) {
      const opened = await openRocks(repo)
      await isRight(t, opened)
      await opened.blocks.putBytes(sample(1000 + run).multihash, sample(1000 + run).bytes)
      await opened.storage.close()
    }
  }
})

test('a tally takes keys of any hash function and length, and has each in the range that it names', t => {
  const keys = [
    [],
    [0],
    [0x12],
    [0x12, 0x1f, 255],
    [0x12, 0x20],
    [0x12, 0x20, 0],
    [0x12, 0x20, 5],
    [0x12, 0x20, 5, 0x10],
    [0x12, 0x21],
    [0x1e],
    [0xff]
  ]
  const digests = Array.from({ length: 300 }, (_, i) => [0x12, 0x20, ...createHash('sha256').update(String(i)).digest()])
  for (const key of [...keys, ...digests].map(bytes => Uint8Array.from(bytes))) {
    const tally = new Tally()
    tally.begin()
    tally.forget(key)
    t.true(tally.isNearlyKnown)
    t.false(tally.isKnown)
    const [range, ...others] = tally.missing()
    t.is(others.length, 0)
    const { gte, lt } = range!
    t.true(gte === undefined || Buffer.compare(key, gte as Uint8Array) >= 0)
    t.true(lt === undefined || Buffer.compare(key, lt as Uint8Array) < 0)
    tally.count(key, 7, 0)
    t.deepEqual(tally.counted(), { blocks: 1, bytes: 7, apart: 0 })
    t.true(tally.isKnown)
  }
})

test('what is written while parts are counted is counted anew, and a counting that was given up leaves nothing', t => {
  const tally = new Tally()
  const { multihash: key } = sample(1)
  t.is(tally.missing().length, 1)
  tally.count(key, 5, 5)
  tally.forget(key)
  t.deepEqual(tally.counted(), { blocks: 1, bytes: 5, apart: 5 })
  t.is(tally.missing().length, 1)
  tally.giveUp()
  t.false(tally.isKnown)
  t.is(tally.missing().length, 1)
  t.deepEqual(tally.counted(), { blocks: 0, bytes: 0, apart: 0 })
  t.true(tally.isKnown)
})
