/** The reader and the writer of LevelDB's files, held against LevelDB itself. */
import { appendFile, cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { ClassicLevel } from 'classic-level'
import { maskedSum } from '../../../plugins/migrate/leveldb/crc32c.ts'
import { readDatabase } from '../../../plugins/migrate/leveldb/database.ts'
import { readManifest } from '../../../plugins/migrate/leveldb/manifest.ts'
import { decompress } from '../../../plugins/migrate/leveldb/snappy.ts'
import { DatabaseWriter } from '../../../plugins/migrate/leveldb/write.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { type Random, seeded } from '../../helpers/random.ts'

const all = () => true

type Level = ClassicLevel<string, Uint8Array>

function openLevel(folder: string, compression = true): Level {
  return new ClassicLevel<string, Uint8Array>(folder, {
    keyEncoding: 'utf8',
    valueEncoding: 'view',
    compression,
    // small, so that there are many tables, on several levels
    writeBufferSize: 32 * 1024,
    maxFileSize: 64 * 1024,
    blockSize: 1024
  })
}

/** Values that compress, and ones that do not; some larger than a piece of a log. */
function anyValue(random: Random): Uint8Array {
  const size = random.below(10) === 0 ? random.below(100_000) : random.below(300)
  const bytes = random.bytes(size)
  return random.below(2) === 0 ? bytes : bytes.fill(random.below(3))
}

/** Writes and removes at random. @returns what is there then */
async function fill(level: Level, random: Random, steps: number): Promise<Map<string, Uint8Array>> {
  const there = new Map<string, Uint8Array>()
  for (let step = 0; step < steps; step++) {
    const batch = level.batch()
    for (let i = random.below(8); i >= 0; i--) {
      const key = `/keys/${random.below(400)}`
      if (random.below(3) === 0) {
        batch.del(key)
        there.delete(key)
      } else {
        const value = anyValue(random)
        batch.put(key, value)
        there.set(key, value)
      }
    }
    await batch.write()
    if (step === steps >> 1) await level.compactRange('/', '0')
  }
  return there
}

/** The end of the compactions of an open database, so that none of its files goes while they are copied: half a second in which the folder's listing stays as it is. */
async function compacted(folder: string): Promise<void> {
  const listing = async () => (await readdir(folder)).sort().join()
  for (let last = await listing(), still = 0; still < 10; ) {
    await setTimeout(50)
    const now = await listing()
    still = now === last ? still + 1 : 0
    last = now
  }
}

function same(t: ExecutionContext, found: ReadonlyMap<string, Uint8Array>, there: ReadonlyMap<string, Uint8Array>): void {
  t.deepEqual([...found.keys()].sort(), [...there.keys()].sort())
  for (const [key, value] of there) t.true(Buffer.from(found.get(key)!).equals(value), key)
}

for (const compression of [true, false]) {
  for (const seed of [1, 2, 3]) {
    test(`a database is read as LevelDB wrote it, ${compression ? 'compressed' : 'plain'} (${seed})`, async t => {
      const folder = await temporaryFolder(t)
      const level = openLevel(join(folder, 'db'), compression)
      await level.open()
      const there = await fill(level, seeded(seed), 300)
      await level.close()
      t.true((await readdir(join(folder, 'db'))).filter(name => name.endsWith('.ldb')).length > 1)
      same(t, await readDatabase(join(folder, 'db'), all), there)
      const some = await readDatabase(join(folder, 'db'), key => key.endsWith('7'))
      t.deepEqual([...some.keys()].sort(), [...there.keys()].filter(key => key.endsWith('7')).sort())
    })
  }
}

test('a database is read as another process works on it, without a change to it', async t => {
  const folder = await temporaryFolder(t)
  const level = openLevel(join(folder, 'db'))
  t.teardown(() => level.close())
  await level.open()
  const there = await fill(level, seeded(9), 40)
  await compacted(join(folder, 'db'))
  await cp(join(folder, 'db'), join(folder, 'copy'), { recursive: true })
  same(t, await readDatabase(join(folder, 'copy'), all), there)
})

test('LevelDB opens what is written here, and finds all of it', async t => {
  const folder = join(await temporaryFolder(t), 'db')
  const random = seeded(5)
  const there = new Map<string, Uint8Array>()
  const writer = await DatabaseWriter.create(folder)
  for (let i = 0; i < 3000; i++) {
    const [key, value] = [`/keys/${i}`, anyValue(random)]
    there.set(key, value)
    await writer.put(key, value)
  }
  await writer.end()
  same(t, await readDatabase(folder, all), there)
  const level = openLevel(folder)
  const found = new Map<string, Uint8Array>()
  for await (const [key, value] of level.iterator()) found.set(key, value)
  await level.close()
  same(t, found, there)
  same(t, await readDatabase(folder, all), there)
})

test('records end wherever a piece of the log ends', async t => {
  const root = await temporaryFolder(t)
  for (let size = 32_700; size < 32_768; size++) {
    const folder = join(root, String(size))
    const writer = await DatabaseWriter.create(folder)
    await writer.put('/a', new Uint8Array(size).fill(1))
    await writer.put('/b', new Uint8Array(40_000).fill(2))
    await writer.put('/c', new Uint8Array(70_000).fill(3))
    await writer.put('/d', new Uint8Array(1))
    await writer.end()
    const found = await readDatabase(folder, all)
    t.deepEqual(
      [...found].map(([key, value]) => [key, value.length, value[0]]),
      [
        ['/a', size, 1],
        ['/b', 40_000, 2],
        ['/c', 70_000, 3],
        ['/d', 1, 0]
      ]
    )
  }
})

test('sums are those of CRC-32C', t => {
  // RFC 3720, B.4: 32 zero bytes have the sum 8a9136aa
  const masked = (sum: number) => ((((sum >>> 15) | (sum << 17)) >>> 0) + 0xa282ead8) >>> 0
  t.is(maskedSum(new Uint8Array(32)), masked(0x8a9136aa))
  t.is(maskedSum(new Uint8Array(16), new Uint8Array(16)), masked(0x8a9136aa))
  t.is(maskedSum(Buffer.from('123456789')), masked(0xe3069283))
})

test('a compressed block that lies about itself is an error', t => {
  const bad = [
    [],
    [0xff, 0xff, 0xff, 0xff, 0x7f],
    [5, 0],
    [3, 12, 1, 2, 3, 4],
    [4, 0, 1, 1, 9],
    [4, 0, 1, 1, 0],
    [1, 0, 65, 0, 66],
    [4, 0xf0]
  ]
  for (const bytes of bad) t.throws(() => decompress(Uint8Array.from(bytes), 'x.ldb'), { code: 'E_LEVELDB_FILE' }, String(bytes))
  t.is(Buffer.from(decompress(Uint8Array.from([5, 0, 65, 1, 1]), 'x.ldb')).toString(), 'AAAAA')
})

const nameOf = (number: number, extension: string) => `${String(number).padStart(6, '0')}.${extension}`

test('what is missing, cut or longer is named', async t => {
  const root = await temporaryFolder(t)
  const whole = join(root, 'whole')
  const level = openLevel(whole)
  await level.open()
  await fill(level, seeded(4), 200)
  await level.close()
  const names = await readdir(whole)
  const manifest = names.find(name => name.startsWith('MANIFEST'))!
  const { tables, log: number } = readManifest(await readFile(join(whole, manifest)), manifest)
  // a table that LevelDB has not come to remove yet counts no more
  const [table, log] = [nameOf(tables[0]!.number, 'ldb'), nameOf(number, 'log')]
  const spoilt: ReadonlyArray<readonly [name: string, spoil: (file: string) => Promise<unknown>]> = [
    [table, file => rm(file)],
    [log, file => rm(file)],
    [manifest, file => rm(file)],
    ['CURRENT', file => rm(file)],
    ['CURRENT', file => writeFile(file, '')],
    ['CURRENT', file => writeFile(file, '../MANIFEST-000001\n')],
    [table, file => truncate(file, 100)],
    [table, file => appendFile(file, 'x')],
    [log, file => appendFile(file, 'x')],
    [manifest, async file => truncate(file, (await readFile(file)).length - 1)],
    [table, file => rename(file, join(file, '..', '999999.ldb'))]
  ]
  for (const [i, [name, spoil]] of spoilt.entries()) {
    const folder = join(root, String(i))
    await cp(whole, folder, { recursive: true })
    await spoil(join(folder, name))
    const error = await t.throwsAsync(readDatabase(folder, all), { code: 'E_LEVELDB_FILE' }, `${i}`)
    t.true(error.message.startsWith(`${join(folder, name)} cannot be read: `), error.message)
  }
})
