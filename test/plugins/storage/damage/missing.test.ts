/** Folders that are not there at a start, as when a volume is not mounted, or the wrong one is. */
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Blockstore, command, nothing, plugin } from '../../../../core/index.ts'
import { createHost } from '../../../../host/index.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { openRocks, segmentsOf } from '../backends.ts'
import { sample } from '../samples.ts'
import { flip } from './repo.ts'

const large = sample(1, 9000)

const probe = plugin({
  name: 'probe',
  api: '^1',
  about: 'Tries the store.',
  commands: [
    command.write('probe/put', {
      help: 'Stores.',
      needs: { blocks: Blockstore },
      reply: nothing(),
      run: async ({ blocks }) => void (await blocks.put(large.cid, large.bytes))
    }),
    command.read('probe/look', {
      help: 'Looks.',
      needs: { blocks: Blockstore },
      reply: nothing(),
      async run({ blocks }) {
        if (!(await blocks.has(large.cid))) throw new Error('it is gone')
      }
    })
  ]
})

const hostOf = (path: string) => createHost({ plugins: [probe], repo: { path, init: {} } })

/** Starts a node, has it do something, stops it. */
async function run(path: string, call?: string): Promise<void> {
  const host = await hostOf(path)
  await host.start()
  if (call !== undefined) await host.call(call)
  await host.stop()
}

/** A repo with a block in a segment, which was started twice. */
async function complete(t: ExecutionContext): Promise<string> {
  const path = join(await temporaryFolder(t), 'repo')
  await run(path, 'probe/put')
  await run(path)
  return path
}

/** What a refused start must not have made or removed. RocksDB itself writes when it is opened. */
async function kept(path: string): Promise<string[]> {
  return (await readdir(path, { recursive: true })).filter(name => /^db$|CURRENT$|^segments|^blocks/.test(name)).sort()
}

async function refused(t: ExecutionContext, path: string, names: RegExp): Promise<void> {
  const before = await kept(path)
  const host = await hostOf(path)
  const error = await t.throwsAsync(host.start())
  await host.stop()
  t.regex(error!.message, names)
  t.regex(error!.message, /mount|copy/i, 'what to do')
  t.deepEqual(await kept(path), before)
}

for (const left of ['nothing', 'an empty folder'])
  test(`a start without the database is refused, and leaves the blocks alone: ${left}`, async t => {
    const path = await complete(t)
    const aside = `${path}-db`
    await rename(join(path, 'db'), aside)
    if (left === 'an empty folder') await mkdir(join(path, 'db'))
    await refused(t, path, /repo\/db\b.*repo\/segments/)
    t.is((await segmentsOf(path)).length, 1)
    // As well where the segments are elsewhere too.
    await rename(join(path, 'segments'), `${path}-segments`)
    await refused(t, path, /repo\/db\b/)
    await rename(`${path}-segments`, join(path, 'segments'))
    await rm(join(path, 'db'), { recursive: true, force: true })
    await rename(aside, join(path, 'db'))
    await t.notThrowsAsync(run(path, 'probe/look'))
  })

test('segments without a configuration and a database are no place for a new repo', async t => {
  const path = await complete(t)
  for (const name of await readdir(path)) if (name !== 'segments') await rm(join(path, name), { recursive: true })
  await refused(t, path, /repo\/db\b.*repo\/segments/)
})

test('a database whose file CURRENT is gone is not replaced by an empty one', async t => {
  const path = await complete(t)
  await rename(join(path, 'db/CURRENT'), `${path}-CURRENT`)
  await refused(t, path, /repo\/db\b.*CURRENT/)
  await rename(`${path}-CURRENT`, join(path, 'db/CURRENT'))
  await t.notThrowsAsync(run(path, 'probe/look'))
})

for (const folder of ['segments', 'blocks'])
  test(`a start without the folder of the blocks is refused: ${folder}`, async t => {
    const path = await complete(t)
    await rename(join(path, folder), `${path}-aside`)
    await refused(t, path, new RegExp(`repo/${folder}\\b`))
    await mkdir(join(path, folder))
    await refused(t, path, new RegExp(`repo/${folder}\\b`))
    await rm(join(path, folder), { recursive: true })
    await rename(`${path}-aside`, join(path, folder))
    await t.notThrowsAsync(run(path, 'probe/look'))
  })

test('a database does not work with the segments of another', async t => {
  const [one, other] = [await complete(t), await complete(t)]
  await rename(join(one, 'segments'), `${one}-segments`)
  await cp(join(other, 'segments'), join(one, 'segments'), { recursive: true })
  await refused(t, one, /repo\/segments\b.*another database/)
})

test('one wrong bit in the id of a folder is turned back, and more is another database', async t => {
  const path = await complete(t)
  const file = join(path, 'segments/.database')
  const right = await readFile(file)
  for (const bit of [0, 3, 7]) {
    await flip(file, 5, bit)
    await t.notThrowsAsync(run(path, 'probe/look'))
    t.deepEqual(await readFile(file), right)
  }
  await flip(file, 5, 1)
  await flip(file, 9, 1)
  await refused(t, path, /repo\/segments\b.*another database/)
})

test('a complete database whose configuration is gone is not taken for a new repo', async t => {
  const path = await complete(t)
  await rename(join(path, 'config'), `${path}-config`)
  await refused(t, path, /repo\/config/)
  await rename(`${path}-config`, join(path, 'config'))
  await t.notThrowsAsync(run(path, 'probe/look'))
})

test('a repo of an earlier version gets an id at its first start, also where one was killed on the way', async t => {
  const key = new TextEncoder().encode('id')
  for (const state of ['none', 'begun', 'half'] as const) {
    const path = await complete(t)
    const { storage } = await openRocks(path)
    const value = (await storage.database.get('state', key))!
    await storage.database.write([
      { family: 'state', key, value: state === 'none' ? undefined : Buffer.concat([Uint8Array.of(0), value.subarray(1)]) }
    ])
    await storage.close()
    await rm(join(path, 'segments/.database'))
    if (state !== 'half') await rm(join(path, 'blocks/.database'))
    await run(path, 'probe/look')
    t.true(existsSync(join(path, 'segments/.database')))
    t.is(await readFile(join(path, 'segments/.database'), 'utf8'), await readFile(join(path, 'blocks/.database'), 'utf8'))
    await t.notThrowsAsync(run(path, 'probe/look'))
  }
})
