/** What a repo remembers of how its content is stored, and what is refused over it. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import {
  type Blockstore as AnyBlockstore,
  Blockstore,
  Datastore,
  inner,
  type Kept,
  Key,
  KUBO_LAYOUT,
  type Plugin,
  service,
  token
} from '../../../core/index.ts'
import type { HostConfiguration } from '../../../host/configuration.ts'
import { createHost } from '../../../host/create.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { named } from '../../helpers/plugin.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { sample } from '../../plugins/storage/samples.ts'

const { cid, bytes } = sample(1, 100)
const inMemory = { plugins: { 'storage-rocksdb': 'off', 'storage-memory': 'on' } } as const

/** Stores that live as long as this process, by the plugin's name, as one beside the node would. */
const shelves = new Map<string, MemoryBlockstore>()
const shelf = (name: string): Plugin => {
  const store = shelves.get(name) ?? new MemoryBlockstore()
  shelves.set(name, store)
  return named(name, { provides: [service(Blockstore, { make: () => store })] })
}
const drawer = (name: string, store = new MemoryDatastore()): Plugin =>
  named(name, { provides: [service(Datastore, { make: () => store })] })

const forward = (name: string, layout?: () => { type: string; key?: string }): Plugin =>
  named(name, {
    provides: [
      service(Blockstore, {
        needs: { store: inner(Blockstore) },
        ...(layout && { keeps: () => ({ layout: layout() }) }),
        make: ({ store }): AnyBlockstore => store
      })
    ]
  })

async function space(t: Parameters<typeof temporaryFolder>[0]) {
  const path = join(await temporaryFolder(t), 'repo')
  const start = async (plugins: Plugin[], services: HostConfiguration['services'], more: HostConfiguration = {}) => {
    const host = await createHost({ plugins, repo: { path, init: {} }, configuration: { ...more, services } })
    await host.start()
    return host
  }
  /** Starts, does something, and stops. */
  const run = async (plugins: Plugin[], services?: HostConfiguration['services'], more?: HostConfiguration) => {
    const host = await start(plugins, services, more)
    await host.service(Blockstore)!.put(cid, bytes)
    await host.service(Datastore)!.put(new Key('/x'), bytes)
    await host.stop()
  }
  const refusal = async (plugins: Plugin[], services?: HostConfiguration['services'], more?: HostConfiguration) =>
    (await t.throwsAsync(start(plugins, services, more))).message.replaceAll(path, 'REPO')
  const noted = async () => JSON.parse(await readFile(join(path, 'layouts'), 'utf8')) as Record<string, object[]>
  return { path, start, run, refusal, noted }
}

const EXPORT = 'or export what you need from there (holdfast dag export) and import it into a repo of its own: --repo FOLDER'

test('a blockstore beside the built-in datastore has a layout of its own, and to switch is refused with the remedy', async t => {
  const { path, run, refusal, noted } = await space(t)
  await run([shelf('shelf')], { blockstore: 'shelf' })
  const { blockstore, datastore } = await noted()
  t.deepEqual(blockstore, [{ plugin: 'shelf', layout: { type: 'shelf' } }])
  t.like(datastore![0], { plugin: 'storage-rocksdb' })
  t.is(await readFile(join(path, 'datastore_spec'), 'utf8'), JSON.stringify((datastore![0] as { layout: object }).layout))
  const before = await readdir(path)
  t.is(
    await refusal([]),
    `plugin 'repo' (built-in) failed to start: the blockstore in REPO was written by 'shelf', and 'storage-rocksdb' would not see its content. Name who wrote it: "services": { "blockstore": "shelf" }, ${EXPORT}`
  )
  t.regex(await refusal([shelf('other')], { blockstore: 'other' }), /was written by 'shelf', and 'other' would not see its content/)
  t.deepEqual(await readdir(path), before)
  await run([shelf('shelf')], { blockstore: 'shelf' })
})

test('the datastore is held against what was written as well, and memory sees nothing of either', async t => {
  const { run, refusal } = await space(t)
  await run([])
  t.regex(await refusal([], {}, inMemory), /the blockstore in REPO was written by 'storage-rocksdb', and what keeps nothing would not see/)
  t.regex(
    await refusal([drawer('drawer')], { datastore: 'drawer' }),
    /the datastore in REPO was written by 'storage-rocksdb', and 'drawer' would not see its content\. Name who wrote it: "services": \{ "datastore": "storage-rocksdb" \}/
  )
  await run([])
})

test('where nothing was stored in a new repo, another store may take the place', async t => {
  const { path, start, run, refusal, noted } = await space(t)
  await (await start([], {})).stop()
  t.deepEqual(await noted(), {})
  await (await start([], {}, inMemory)).stop()
  const host = await start([shelf('vacant')], { blockstore: 'vacant' })
  t.deepEqual(await itemsUntilError(host.call('pin/verify')), { items: [], error: undefined }, 'what every node pins is there')
  await host.stop()
  t.deepEqual(Object.keys(await noted()).sort(), ['blockstore', 'datastore'])
  t.true((await readdir(path)).includes('datastore_spec'))
  t.regex(await refusal([]), /was written by 'vacant'/)
  await run([shelf('vacant')], { blockstore: 'vacant' })
})

test('what lay in the stores before a repo was made anew around them is content, noted for good', async t => {
  const { path, start, run, noted } = await space(t)
  await run([])
  for (const lost of ['config', 'layouts']) {
    await rm(join(path, 'config'))
    await rm(join(path, lost), { force: true })
    const host = await start([], {})
    t.true(await host.service(Blockstore)!.has(cid))
    await host.stop()
    t.deepEqual(Object.keys(await noted()), ['blockstore', 'datastore'], lost)
  }
})

test('what was stored in a new repo is noted for good, in each store for itself', async t => {
  const { start, noted } = await space(t)
  const host = await start([], {})
  await host.service(Datastore)!.put(new Key('/x'), bytes)
  await host.stop()
  t.deepEqual(Object.keys(await noted()), ['datastore'])
})

test('what wraps and changes what is stored is part of the layout, and what only wraps is not', async t => {
  const { run, refusal } = await space(t)
  const sealed = (key: string) => forward('sealed', () => ({ type: 'sealed', key }))
  const wrapped = { blockstore: ['sealed', 'cache', 'storage-rocksdb'] }
  await run([sealed('a'), forward('cache')], wrapped)
  t.regex(
    await refusal([]),
    /was written by 'sealed' over 'storage-rocksdb', and 'storage-rocksdb' would not see its content\. Name who wrote it: "services": \{ "blockstore": \["sealed","storage-rocksdb"\] \}/
  )
  t.regex(
    await refusal([sealed('b')], { blockstore: ['sealed', 'storage-rocksdb'] }),
    /'sealed' over 'storage-rocksdb' would not see its content; the key of 'sealed' was "a" and is "b"\. Give the plugin its former settings, or export/
  )
  await run([sealed('a')], { blockstore: ['sealed', 'storage-rocksdb'] })
})

test('plain content is not shown through what would decrypt it', async t => {
  const { run, refusal } = await space(t)
  await run([])
  t.regex(
    await refusal([forward('sealed', () => ({ type: 'sealed' }))], { blockstore: ['sealed', 'storage-rocksdb'] }),
    /was written by 'storage-rocksdb', and 'sealed' over 'storage-rocksdb' would not see its content/
  )
})

test('a plugin that cannot say how it stores fails before anything starts, and the host goes on without it where it may', async t => {
  const { path, start, refusal } = await space(t)
  const lost = forward('sealed', () => {
    throw new Error('no key')
  })
  const services = { blockstore: ['sealed', 'storage-rocksdb'] }
  t.is(await refusal([lost], services), "plugin 'sealed' (given) failed to start: no key")
  await t.throwsAsync(readdir(path), { code: 'ENOENT' })
  const host = await start([lost], services, { onFailure: 'continue' })
  t.is(host.service(Blockstore), undefined)
  t.truthy(host.service(Datastore))
  await host.stop()
})

test('a layout that could not be noted, or does not come, fails the plugin before anything starts', async t => {
  const { path, refusal } = await space(t)
  const keeping = (keeps: () => unknown) =>
    named('visits', { provides: [service(token('test-visits'), { keeps: keeps as () => Kept, make: () => ({}) })] })
  for (const layout of [null, 'files', ['files'], { type: 'files', count: 1n }]) {
    t.is(
      await refusal([keeping(() => ({ layout }))]),
      "plugin 'visits' (given) failed to start: plugin 'visits': 'keeps' of service 'test-visits' gives a layout that is no JSON object: { layout: { type: 'visits' } } would be one"
    )
  }
  t.regex(await refusal([keeping(() => ({ layout: { type: 'files' }, takesOver: ['files'] }))]), /no JSON object/)
  t.regex(await refusal([keeping(() => ({ layout: { type: 'files' }, takesOver: { type: 'older' } }))]), /no JSON object/)
  const late = await createHost({ plugins: [keeping(() => new Promise(() => {}))], repo: { path, init: {} }, patience: 100 })
  await t.throwsAsync(late.start(), { message: /plugin 'visits': 'keeps' of service 'test-visits' took longer than 0.1 s/ })
  await t.throwsAsync(readdir(path), { code: 'ENOENT' })
})

test('a store that cannot list its blocks keeps its place in a new repo', async t => {
  const { start, noted } = await space(t)
  class Unlisted extends MemoryBlockstore {
    override async *listMultihashes(): AsyncGenerator<Uint8Array> {
      throw new Error('no list')
    }
  }
  const store = new Unlisted()
  const host = await start([named('unlisted', { provides: [service(Blockstore, { make: () => store })] })], { blockstore: 'unlisted' })
  t.deepEqual(await host.stop(), [])
  t.deepEqual(Object.keys(await noted()), ['blockstore'])
})

test('any service may say how it keeps its content', async t => {
  const Visits = token<object>('test-visits')
  const visits = (type: string) =>
    named('visits', { provides: [service(Visits, { keeps: () => ({ layout: { type } }), make: () => ({}) })] })
  const { run, refusal, noted } = await space(t)
  await run([visits('one')])
  t.deepEqual((await noted())['test-visits'], [{ plugin: 'visits', layout: { type: 'one' } }])
  t.regex(await refusal([visits('two')]), /the test-visits in REPO was written by 'visits'.*; the type of 'visits' was "one" and is "two"/)
  await run([])
  await run([visits('one')])
})

test('a repo of an earlier version opens, by the one store that its datastore_spec tells of', async t => {
  const { path, run, refusal, noted } = await space(t)
  await run([])
  const spec = join(path, 'datastore_spec')
  const { segments, journal, ...first } = JSON.parse(await readFile(spec, 'utf8'))
  t.truthy(segments)
  t.truthy(journal)
  await rm(join(path, 'layouts'))
  await writeFile(spec, JSON.stringify(first))
  await run([drawer('drawer')], { datastore: 'drawer' })
  t.deepEqual((await noted())['datastore'], [{ plugin: 'drawer', layout: { type: 'drawer' } }])

  await rm(join(path, 'layouts'))
  await writeFile(spec, JSON.stringify(KUBO_LAYOUT))
  t.regex(
    await refusal([]),
    /datastore configuration of '\{"type":"rocksdb".*' does not match what is on disk '\{"mounts":.*Use those, or export it there/
  )
  t.deepEqual(JSON.parse(await readFile(spec, 'utf8')), KUBO_LAYOUT)
  const heir = named('heir', {
    provides: [
      service(Datastore, { keeps: () => ({ layout: { type: 'heir' }, takesOver: [KUBO_LAYOUT] }), make: () => new MemoryDatastore() })
    ]
  })
  await run([heir], { datastore: 'heir' })
  t.is(await readFile(spec, 'utf8'), '{"type":"heir"}')
})

test('a note that cannot be read is named, and nothing is written over it', async t => {
  const { path, run, refusal } = await space(t)
  await run([])
  await writeFile(join(path, 'layouts'), '{')
  t.regex(await refusal([]), /REPO\/layouts says how the content of the repo is stored, and cannot be read: /)
  t.is(await readFile(join(path, 'layouts'), 'utf8'), '{')
})

test('a note of another form is named, never taken for a repo that remembers nothing', async t => {
  const { path, run, refusal } = await space(t)
  await run([])
  const kept = '{"plugin":"storage-rocksdb","layout":{"type":"rocksdb"}}'
  const services = [
    'null',
    '"storage-rocksdb"',
    '[]',
    '[null]',
    '[{"plugin":"x"}]',
    '[{"layout":{}}]',
    '[{"plugin":"x","layout":[]}]',
    kept
  ]
  for (const text of ['null', '7', '[]', `[${kept}]`, '"abc"', '', ...services.map(one => `{"blockstore":${one}}`)]) {
    await writeFile(join(path, 'layouts'), text)
    t.regex(await refusal([]), /REPO\/layouts says how the content of the repo is stored, and cannot be read: \w/, text)
    t.is(await readFile(join(path, 'layouts'), 'utf8'), text)
  }
})
