import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { Key } from 'interface-datastore'
import { Blockstore, command, Datastore, nothing, p, plugin } from '../../../core/index.ts'
import { refuseOtherLayers } from '../../../core/repo/layouts.ts'
import { createHost } from '../../../host/index.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRocks } from './backends.ts'
import { sample } from './samples.ts'

const { cid, bytes } = sample(1, 9000)
const key = new Key('/pins/a')

/** Stores in one call and looks in another, through the tokens that any plugin uses. */
const probe = plugin({
  name: 'probe',
  api: '^1',
  about: 'Tries the stores.',
  commands: [
    command.write('probe/put', {
      help: 'Stores.',
      needs: { blocks: Blockstore, data: Datastore },
      reply: nothing(),
      async run({ blocks, data }) {
        await blocks.put(cid, bytes)
        await data.put(key, bytes)
        await data.sync?.()
      }
    }),
    command.read('probe/look', {
      help: 'Looks.',
      needs: { blocks: Blockstore, data: Datastore },
      args: { there: p.string('').optional() },
      reply: nothing(),
      async run({ blocks, data }, { args }) {
        const found = (await blocks.has(cid)) && (await data.has(key))
        if (found !== (args.there === 'yes')) throw new Error(`found: ${found}`)
      }
    })
  ]
})

const host = (path: string | undefined, plugins: Record<string, 'on' | 'off' | object> = {}) =>
  createHost({ plugins: [probe], repo: { path, init: {} }, configuration: { plugins } as never })

test('a host keeps what was stored from one start to the next, in its repo', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  const first = await host(path, { 'storage-rocksdb': { inlineUpTo: 100 } })
  await first.start()
  await first.call('probe/look')
  await first.call('probe/put')
  await first.stop()
  t.true((await stat(join(path, 'db'))).isDirectory())
  t.true((await stat(join(path, 'blocks'))).isDirectory())
  const second = await host(path)
  await second.start()
  await t.notThrowsAsync(second.call('probe/look', { args: ['yes'] }))
  await second.stop()
})

test('a host in memory keeps it until it stops', async t => {
  const plugins = { 'storage-rocksdb': 'off', 'storage-memory': 'on' } as const
  const first = await host(undefined, plugins)
  await first.start()
  await first.call('probe/put')
  await t.notThrowsAsync(first.call('probe/look', { args: ['yes'] }))
  await first.stop()
  const second = await host(undefined, plugins)
  await second.start()
  await t.notThrowsAsync(second.call('probe/look'))
  await second.stop()
})

test('a host in memory says which store it wants', async t => {
  const wrong = await host(undefined)
  await t.throwsAsync(wrong.start(), { message: /storage-memory is the plugin for it/ })
})

test('settings out of range are refused before anything is opened', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  await t.throwsAsync(
    async () => {
      const refused = await host(path, { 'storage-rocksdb': { inlineUpTo: -1 } })
      await refused.start()
    },
    { message: /inlineUpTo/ }
  )
})

/** What the program before the journal noted of its store. */
const BEFORE = {
  type: 'rocksdb',
  path: 'db',
  files: { path: 'blocks', shardFunc: '/repo/flatfs/shard/v1/next-to-last/2', type: 'flatfs' },
  segments: { path: 'segments' }
}

test('a repo of the program before the journal is taken as it is, and one with a journal is refused by it', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  const first = await host(path)
  await first.start()
  await first.call('probe/put')
  await first.stop()
  const before = { plugin: 'storage-rocksdb', layout: BEFORE }
  await writeFile(join(path, 'layouts'), JSON.stringify({ blockstore: [before], datastore: [before] }))
  await writeFile(join(path, 'datastore_spec'), JSON.stringify(BEFORE))
  await rm(join(path, 'journal'), { recursive: true })
  const older = await openRocks(path)
  await older.storage.database.write([{ family: 'state', key: new TextEncoder().encode('format'), value: new Uint8Array([2]) }])
  await older.storage.close()
  await rm(join(path, 'journal'), { recursive: true })

  const second = await host(path)
  await second.start()
  await t.notThrowsAsync(second.call('probe/look', { args: ['yes'] }))
  await second.stop()
  t.is(await readFile(join(path, 'version'), 'utf8'), '15\n')
  t.deepEqual(JSON.parse(await readFile(join(path, 'datastore_spec'), 'utf8')), { ...BEFORE, journal: { path: 'journal' } })
  const layers = new Map(['blockstore', 'datastore'].map(service => [service, [{ ...before, takesOver: [] }]]))
  await t.throwsAsync(refuseOtherLayers(path, layers), { code: 'E_STORAGE_LAYOUT', message: /the journal of 'storage-rocksdb' was/ })
  await rm(join(path, 'layouts'))
  await t.throwsAsync(refuseOtherLayers(path, layers), { code: 'E_REPO_STORAGE', message: /journal/ })
})
