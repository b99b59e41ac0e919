/**
 * Repos whose files were cut and flipped: an error that names the file and leaves nothing behind, or all that there was. `FUZZ_CASES` says how
 * many damages, `FUZZ_SEED` which; what fails tells its seed and its damage.
 */
import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { ClassicLevel } from 'classic-level'
import type { KuboRepo } from '../../../plugins/migrate/kubo/repo.ts'
import { readKuboRepo } from '../../../plugins/migrate/kubo/repo.ts'
import { emptyReport } from '../../../plugins/migrate/report.ts'
import { takeBlocks } from '../../../plugins/migrate/take/blocks.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { seeded } from '../../helpers/random.ts'
import { migrate, RELEASES, type Unpacked, unpacked } from './world.ts'

/** Damages of each repo. */
const ROUNDS = Number(process.env['FUZZ_CASES'] ?? 600)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() & 0x7fffffff)

/** All that is in the database, to be compared. */
function contentOf({ pins, root, published, known, references }: KuboRepo): string {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  return JSON.stringify([
    pins.map(({ cid, mode, name }) => [String(cid), mode, name]).sort(),
    String(root),
    published.map(({ multihash, record }) => [hex(multihash), hex(record)]).sort(),
    known.map(({ multihash, record }) => [hex(multihash), hex(record)]).sort(),
    references.length
  ])
}

interface Damage {
  readonly name: string
  readonly before: Buffer
  readonly after: Buffer
  /** What was done, to be repeated. */
  readonly told: string
}

const KINDS = ['cut at', 'a bit flipped at', 'zeros from', 'bytes put in at']

/** Damages of the database's files that count. A log that ends between two records is one that more was never written to. */
async function* damages(folder: string, rounds: number, seed: number): AsyncGenerator<Damage> {
  const names = (await readdir(folder)).filter(name => /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|log))$/.test(name))
  yield* damagesOf(folder, names, rounds, seed)
}

/** Damages of some files of a folder, each of a file as it was. */
async function* damagesOf(folder: string, names: readonly string[], rounds: number, seed: number): AsyncGenerator<Damage> {
  const random = seeded(seed)
  const files = await Promise.all(names.map(async name => ({ name, before: await readFile(join(folder, name)) })))
  const filled = files.filter(({ before }) => before.length > 0)
  for (let round = 0; round < rounds; round++) {
    const { name, before } = filled[random.below(filled.length)]!
    const at = random.below(before.length)
    const kind = random.below(4)
    let after = Buffer.from(before)
    if (kind === 0) after = after.subarray(0, at)
    else if (kind === 1) after[at]! ^= 1 << random.below(8)
    else if (kind === 2) after.fill(0, at, Math.min(before.length, at + 1 + random.below(64)))
    else after = Buffer.concat([after.subarray(0, at), random.bytes(1 + random.below(16)), after.subarray(at)])
    const told = `${name}: ${KINDS[kind]} ${at} of ${before.length}, round ${round} of seed ${seed}`
    if (!after.equals(before)) yield { name, before, after, told }
  }
}

async function attack(t: ExecutionContext, { path }: Unpacked, rounds: number, seed: number): Promise<number> {
  const folder = join(path, 'datastore')
  const whole = contentOf(await readKuboRepo(path))
  let refused = 0
  for await (const { name, before, after, told } of damages(folder, rounds, seed)) {
    const file = join(folder, name)
    await writeFile(file, after)
    const outcome = await readKuboRepo(path).then(contentOf, (error: NodeJS.ErrnoException) => error)
    if (typeof outcome === 'string') {
      // the filters of a table, which nothing is taken from; and a manifest, or a log, that ends before what was written to it last
      t.true(outcome === whole || (name.endsWith('.log') && after.length < before.length), told)
    } else {
      t.is(outcome.code, 'E_LEVELDB_FILE', `${told}: ${outcome.stack}`)
      t.true(outcome.message.startsWith(folder), `${told}: ${outcome.message}`)
      refused++
    }
    await writeFile(file, before)
  }
  t.is(contentOf(await readKuboRepo(path)), whole)
  return refused
}

for (const release of RELEASES) {
  test(`a database of Kubo ${release} that was cut or flipped is refused, or read as it was`, async t => {
    const refused = await attack(t, await unpacked(t, release), ROUNDS, SEED)
    t.true(refused > ROUNDS / 2, `${refused} of ${ROUNDS}`)
  })
}

test('so is one with all in its log, and one with many tables that are compressed', async t => {
  const repo = await unpacked(t)
  const folder = join(repo.path, 'datastore')
  const level = new ClassicLevel<string, Uint8Array>(folder, {
    keyEncoding: 'utf8',
    valueEncoding: 'view',
    writeBufferSize: 64 * 1024,
    blockSize: 512
  })
  for (let i = 0; i < 4000; i++) await level.put(`/peers/${i % 900}`, new Uint8Array(40 + (i % 50)).fill(i))
  await level.close()
  t.true((await attack(t, repo, ROUNDS, SEED)) > ROUNDS / 3)
})

test('nothing of a repo that is refused is taken over', async t => {
  const repo = await unpacked(t)
  const made = join(repo.folder, 'repo')
  const copy = join(repo.folder, 'copy')
  await cp(repo.path, copy, { recursive: true })
  let refused = 0
  for await (const { name, before, after } of damages(join(copy, 'datastore'), 12, SEED)) {
    const file = join(copy, 'datastore', name)
    await writeFile(file, after)
    const { code, err } = await migrate(made, copy)
    if (code !== 0) {
      t.true(err.includes(join(copy, 'datastore')), err)
      t.false((await readdir(repo.folder)).includes('repo'))
      refused++
    } else {
      // a damage that changes nothing of what is read
      t.log(`${name} was read`)
      await rm(made, { recursive: true })
    }
    await writeFile(file, before)
  }
  t.true(refused > 3)
})

for (const release of RELEASES) {
  test(`blocks of Kubo ${release} whose files were cut or flipped are named, each of them, and the others are taken over`, async t => {
    const { path, told } = await unpacked(t, release)
    const repo = await readKuboRepo(path)
    const files: Array<{ path: string; multihash: Uint8Array }> = []
    for await (const file of repo.blocks.files()) files.push(file)
    const names = files.map(file => file.path.slice(path.length + 1))
    const done = new Map<string, Damage>()
    for await (const damage of damagesOf(path, names, 200, SEED)) {
      if (done.has(damage.name)) continue
      await writeFile(join(path, damage.name), damage.after)
      done.set(damage.name, damage)
    }
    const store = new MemoryBlockstore()
    const { Blocks } = emptyReport({ From: path, To: '', RepoVersion: repo.version, PeerID: '' })
    for await (const _ of takeBlocks(repo.blocks, store, Blocks, new AbortController().signal));
    const all = [...done.values()].map(damage => damage.told).join('\n')
    t.deepEqual(Blocks.Damaged.map(line => line.slice(path.length + 1).split(':', 1)[0]).sort(), [...done.keys()].sort(), all)
    t.is(Blocks.Copied, told.blocks.length - done.size, all)
    for (const file of files)
      t.is(await store.hasMultihash(file.multihash), !done.has(file.path.slice(path.length + 1)), done.get(file.path)?.told)
  })

  test(`a file of Kubo ${release} beside these that was cut or flipped is named, or says what it said`, async t => {
    const { path } = await unpacked(t, release)
    const keys = (await readdir(join(path, 'keystore'))).map(name => join('keystore', name))
    for (const key of keys) await chmod(join(path, key), 0o600)
    // what a repo is: its identity, its keys, and all that is in the database
    const read = async () => {
      const repo = await readKuboRepo(path)
      return JSON.stringify([repo.identity.peerId, [...repo.keys].map(([name, { peerId }]) => [name, peerId]), contentOf(repo)])
    }
    const whole = await read()
    let refused = 0
    const names = ['version', 'datastore_spec', 'config', join('blocks', 'SHARDING'), ...keys]
    for await (const { name, before, after, told } of damagesOf(path, names, ROUNDS / 2, SEED)) {
      const file = join(path, name)
      await writeFile(file, after)
      const outcome = await read().catch((error: NodeJS.ErrnoException) => error)
      if (typeof outcome === 'string') t.true(outcome === whole, told)
      else {
        t.regex(String(outcome.code), /^E_/, `${told}: ${outcome.stack}`)
        t.true(outcome.message.includes(path), `${told}: ${outcome.message}`)
        refused++
      }
      await writeFile(file, before)
    }
    t.is(await read(), whole)
    t.true(refused > ROUNDS / 8, `${refused}`)
  })
}
