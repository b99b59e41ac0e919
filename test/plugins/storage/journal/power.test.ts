/** What a power loss leaves of the journal and of RocksDB's log: some beginning of all that was written, and all that was synced. */
import { statSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { type Random, seeded } from '../../../helpers/random.ts'
import { BlockFiles, holdUp, intercept, openRocks, RocksDatastore } from '../disk.ts'
import { sample } from '../samples.ts'
import { large, put, textsIn } from './entries.ts'
import { batches } from './interception.ts'
import { JOURNAL, killed, LOG, openDatabase } from './repo.ts'

const ROUNDS = Number(process.env['JOURNAL_ROUNDS'] ?? 12)
const SEED = Number(process.env['JOURNAL_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** Cuts off or blanks what was not synced of the journal and of the log, each by itself. */
async function losePower(repo: string, synced: ReadonlyMap<string, number>, random: Random): Promise<void> {
  const logs = (await readdir(join(repo, 'db'))).filter(name => LOG.test(name)).sort()
  const paths = [
    ...logs.slice(-1).map(name => join('db', name)),
    ...(await readdir(join(repo, 'journal'))).map(name => join('journal', name))
  ]
  for (const path of paths) {
    const { size } = await stat(join(repo, path))
    const kept = synced.get(path) ?? 0
    if (kept >= size) continue
    const outcome = random.below(5)
    if (outcome === 0) await truncate(join(repo, path), kept)
    if (outcome === 1) await truncate(join(repo, path), kept + random.below(size - kept))
    // Pages reach the disk in any order.
    if (outcome === 2 && JOURNAL.test(path)) {
      const bytes = await readFile(join(repo, path))
      const from = kept + random.below(size - kept)
      await writeFile(join(repo, path), bytes.fill(0, from, Math.min(from + 4096, size)))
    }
    if (outcome === 3 && JOURNAL.test(path) && kept === 0) await rm(join(repo, path))
  }
}

/** Each batch `i` says so in one of eight keys, and how far it is in another. */
function expected(upTo: number): Record<string, string> {
  const texts: Record<string, string> = upTo === 0 ? {} : { upTo: `${upTo}` }
  for (let i = Math.max(1, upTo - 7); i <= upTo; i++) texts[`k${i % 8}`] = `${i}`
  return texts
}

async function lives(t: ExecutionContext, random: Random): Promise<void> {
  let folder = join(await temporaryFolder(t), 'repo')
  let written = 0
  for (let life = 0; life < 4; life++) {
    const repo = folder
    const synced = new Map<string, number>()
    const restores = [
      intercept('fdatasync', async (path, call) => {
        if (!path.startsWith(repo)) return call()
        const { size } = statSync(path)
        await call()
        synced.set(path.slice(repo.length + 1), size)
      }),
      batches(async write => {
        if (random.below(3) === 0) await setTimeout(random.below(15))
        await write()
      })
    ]
    const { database } = await openDatabase(t, repo, { journal: 64 << 10 })
    const found = await textsIn(database)
    written = Number(found['upTo'] ?? 0)
    let durable = written
    const padding = 'x'.repeat(random.below(1500))
    const count = 20 + random.below(250)
    for (let i = 0; i < count; i++) {
      written++
      const writes = [put(`k${written % 8}`, `${written}`), put('upTo', `${written}`), put('padding', padding, 'state')]
      await database.write(random.below(25) === 0 ? [...writes, { ...large('large', 'x'), family: 'state' }] : writes)
      if (random.below(20) > 0) continue
      const upTo = written
      if (random.below(2) === 0) {
        await database.sync()
        durable = upTo
      }
    }
    // What goes on in between is taken out of the journal, and is synced in the log before that. So it is noted behind the one, and before the other.
    let noted: ReadonlyMap<string, number> = synced
    folder = await killed(t, repo, () => {
      noted = new Map(synced)
    })
    for (const restore of restores) restore()
    await database.close()
    await losePower(folder, noted, random)
    const picture = await killed(t, folder)
    const again = await openDatabase(t, picture)
    const texts = await textsIn(again.database)
    await again.database.close()
    const upTo = Number(texts['upTo'] ?? 0)
    t.true(upTo >= durable, `life ${life}: ${upTo} of ${durable} that were synced`)
    t.deepEqual(texts, expected(upTo), `life ${life}`)
    if (random.below(2) === 0) {
      await rm(folder, { recursive: true })
      await rename(picture, folder)
    }
  }
}

test.serial(
  `${ROUNDS} times four lives, each with a power loss at its end: a beginning of what was written, and all that was synced`,
  async t => {
    t.timeout(60_000 + ROUNDS * 20_000)
    t.log(`seed ${SEED} (JOURNAL_SEED repeats it, JOURNAL_ROUNDS says how often)`)
    for (let round = 0; round < ROUNDS; round++) await lives(t, seeded(SEED + round))
  }
)

test.serial('a power loss that leaves nothing but what was synced of a new repo: a torn file that no key names is no block', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const synced = new Map<string, number>()
  const restore = intercept('fdatasync', (path, call) => {
    synced.set(path.slice(repo.length), statSync(path).size)
    return call()
  })
  const { storage, blocks } = await openRocks(repo, { largeBlocks: 'files' })
  restore()
  const { multihash, bytes } = sample(1, 9000)
  await blocks.putBytes(multihash, bytes)
  const copy = await killed(t, repo)
  await storage.close()
  t.true([...synced.keys()].some(path => LOG.test(path)))
  for (const [path, size] of synced) await truncate(copy + path, size)
  const journals = (await readdir(join(copy, 'journal'))).map(name => `/journal/${name}`)
  t.true(journals.length > 0)
  for (const path of journals) if (!synced.has(path)) await truncate(copy + path, 0)
  await truncate(new BlockFiles(join(copy, 'blocks'), 1).pathOf(multihash))

  const again = await openRocks(copy, { largeBlocks: 'files' })
  t.false(await again.blocks.hasMultihash(multihash))
  await again.blocks.putBytes(multihash, bytes)
  t.deepEqual(await again.blocks.getBytes(multihash), bytes)
  await again.storage.close()
})

test.serial('no record overtakes a block that a sync is still taking to the disk', async t => {
  const { multihash, bytes } = sample(1, 9000)
  const { storage, blocks } = await openRocks(await temporaryFolder(t))
  const datastore = new RocksDatastore(storage)
  await blocks.putBytes(multihash, bytes)
  t.false(blocks.precedes(datastore), 'the block waits')
  const held = holdUp('fdatasync', /\.blocks$/)
  const synced = blocks.sync()
  await held.entered
  t.false(blocks.precedes(datastore), 'the block is on its way')
  held.release()
  await synced
  t.true(blocks.precedes(datastore))
  await storage.close()
})
