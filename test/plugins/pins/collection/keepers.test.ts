/** Collections of a repo that not all are there for who keep something in it. */
import test, { type ExecutionContext } from 'ava'
import { Key } from 'interface-datastore'
import { parseCid } from '../../../../core/cid/parse.ts'
import { Collector, Datastore, type Plugin, type Root, service, token } from '../../../../core/index.ts'
import { createHost } from '../../../../host/create.ts'
import type { NodeHost } from '../../../../host/host.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { named } from '../../../helpers/plugin.ts'
import { itemsUntilError } from '../../../helpers/streams.ts'
import { put, upload } from '../../blocks/host.ts'
import { treeOf } from '../../mfs/helpers.ts'
import { has } from './host.ts'

interface Parts {
  readonly plugins?: readonly Plugin[]
  readonly settings?: Readonly<Record<string, unknown>>
}

/** Works on one repo, each time with other plugins. */
async function repo(t: ExecutionContext) {
  const path = `${await temporaryFolder(t)}/repo`
  return async <T>({ plugins, settings = {} }: Parts, work: (host: NodeHost) => Promise<T>): Promise<T> => {
    const host = await createHost({
      plugins,
      repo: { path, init: {} },
      configuration: { plugins: settings as never, onFailure: 'continue' },
      log: { level: 'silent' }
    })
    await host.start()
    try {
      return await work(host)
    } finally {
      await host.stop()
    }
  }
}

/** What a collection says: its error; undefined where it went through. */
const refusal = async (host: NodeHost, options = {}) =>
  (await itemsUntilError(host.call('repo/gc', { options: { silent: true, ...options } }))).error

const Shelf = token<object>('test-shelf')

/** A third party's keeper of one block. */
function shelf(kept: () => Root[], fails = () => false): Plugin {
  return named('shelves', {
    provides: [
      service(Shelf, {
        needs: { collector: Collector },
        make: ({ collector }) => ({
          start() {
            if (fails()) throw new Error('not today')
            collector.addRoots({
              name: 'shelf',
              plugin: 'shelves',
              async *roots() {
                yield* kept()
              }
            })
          }
        })
      })
    ]
  })
}

test('a collection refuses where the mutable tree has content and its plugin is off, and names the setting', async t => {
  const at = await repo(t)
  const cid = await at({}, async host => {
    await treeOf(host).write('/kept', 'in the tree')
    return (await treeOf(host).stat('/kept')).Hash
  })
  await at({ settings: { mfs: 'off' } }, async host => {
    const said = await refusal(host)
    t.regex(said!, /'mfs' keeps content in this repo.*plugins: \{ mfs: off \}.*repo gc --forget=mfs/)
    t.true(await has(host, cid))
  })
  await at({}, async host => {
    t.is(await refusal(host), undefined)
    t.is(await treeOf(host).read('/kept'), 'in the tree')
  })
})

test('changes of the tree and trees of mounts that are only in their journals count as content as well', async t => {
  for (const key of ['/local/mfs/0', '/local/trees/home/local/mfs/0']) {
    const at = await repo(t)
    await at({}, async host => {
      await host.service(Datastore)!.put(new Key(key), Buffer.from('{}'))
    })
    await at({ settings: { mfs: 'off' } }, async host => t.regex((await refusal(host))!, /'mfs' keeps content/, key))
  }
})

test('a repo whose tree never had content is collected without the plugin', async t => {
  const at = await repo(t)
  await at({ settings: { mfs: 'off' } }, async host => {
    const loose = await put(host, 'loose')
    t.is(await refusal(host), undefined)
    t.false(await has(host, loose))
  })
})

test('a collection refuses where a plugin that kept something is gone, off, or fails, and goes on once it is back or forgotten', async t => {
  const at = await repo(t)
  const roots: Root[] = []
  let fails = false
  const plugins = [
    shelf(
      () => roots,
      () => fails
    )
  ]
  const kept = await at({ plugins }, async host => {
    const cid = await put(host, 'on the shelf')
    roots.push({ cid: parseCid(cid), recursive: true })
    return cid
  })
  await at({}, async host => t.regex((await refusal(host))!, /'shelf' keeps content.*no plugin 'shelves' is here.*--forget=shelf/))
  fails = true
  await at({ plugins }, async host => t.regex((await refusal(host))!, /'shelf' keeps content.*not today/))
  fails = false
  await at({ plugins }, async host => {
    t.is(await refusal(host), undefined)
    t.true(await has(host, kept))
  })
  await at({}, async host => {
    t.is(await refusal(host, { forget: ['shelf'] }), undefined)
    t.false(await has(host, kept))
    t.is(await refusal(host), undefined)
  })
  roots.length = 0
  await at({ plugins }, async host => t.is(await refusal(host), undefined))
  await at({}, async host => t.regex((await refusal(host))!, /'shelf' keeps content/))
})

test('what is forgotten of the tree is missed again once its plugin was on', async t => {
  const at = await repo(t)
  await at({}, host => treeOf(host).write('/kept', 'in the tree'))
  await at({ settings: { mfs: 'off' } }, async host => {
    t.is(await refusal(host, { forget: ['mfs'] }), undefined)
    t.is(await refusal(host), undefined)
  })
  await at({}, host =>
    treeOf(host)
      .call('files/rm', ['/kept'], { force: true })
      .catch(() => undefined)
  )
  await at({ settings: { mfs: 'off' } }, async host => t.regex((await refusal(host))!, /'mfs' keeps content/))
})

test('a damaged record of who keeps something is one of somebody who does', async t => {
  const at = await repo(t)
  await at({}, async host => {
    const datastore = host.service(Datastore)!
    for (const [name, value] of [
      ['shelf', '{'],
      ['other', '5']
    ] as const)
      await datastore.put(new Key(`/local/keepers/${name}`), Buffer.from(value))
    t.regex((await refusal(host, { forget: ['other'] }))!, /'shelf' keeps content.*no plugin 'shelf' is here/)
  })
  await at({ plugins: [shelf(() => [])] }, async host => t.is(await refusal(host), undefined))
})

test('only who is missing can be forgotten', async t => {
  const at = await repo(t)
  await at({}, async host => {
    for (const name of ['mfs', 'pins', 'nobody'])
      t.is(await refusal(host, { forget: [name] }), `'${name}' keeps nothing here that would be missed: there is nothing to forget`)
  })
})

test('a collection that a keeper leaves before it was asked removes nothing', async t => {
  const at = await repo(t)
  const kept: Root[] = []
  await at({ plugins: [shelf(() => kept)] }, async host => {
    const loose = await put(host, 'loose')
    const lease = host.service(Collector)!.addRoots({
      name: 'first',
      async *roots() {
        later.release()
      }
    })
    const later = host.service(Collector)!.addRoots({
      name: 'second',
      async *roots() {
        yield { cid: parseCid(loose), recursive: false }
      }
    })
    t.regex((await refusal(host))!, /'second' was stopped/)
    t.true(await has(host, loose))
    lease.release()
  })
})

test('what pins by default is refused without pins, unless its caller does without them, and pinned blocks are not removed', async t => {
  const at = await repo(t)
  const pinned = await at({}, async host => {
    const cid = await put(host, 'pinned')
    await host.call('pin/add', { args: [cid] })
    return cid
  })
  await at({ settings: { pins: 'off', older: 'on' } }, async host => {
    const add = (options: object) => itemsUntilError(host.call('add', { body: upload({ data: 'data' }), options: { ...options } }))
    const refused = "add: pin needs the plugin 'pins', which is not loaded on this node; pin=false stores without it"
    for (const options of [{}, { pin: true }, { toFiles: '/data' }, { nocopy: false, wrapWithDirectory: true }])
      t.is((await add(options)).error, refused)
    for (const options of [{ pin: false }, { onlyHash: true }]) t.is((await add(options)).error, undefined)
    const car = itemsUntilError(host.call('dag/import', { body: upload({ data: 'no car' }) }))
    t.is(
      (await car).error,
      "dag/import: pin-roots needs the plugin 'pins', which is not loaded on this node; pin-roots=false stores without it"
    )
    const { items } = await itemsUntilError<{ Error?: string }>(host.call('block/rm', { args: [pinned] }))
    t.deepEqual(
      items.map(({ Error: said }) => said),
      ["pin check failed: the plugin 'pins' is not loaded on this node"]
    )
    t.true(await has(host, pinned))
  })
})

test('without pins and where nothing is pinned, blocks are removed', async t => {
  const at = await repo(t)
  await at({ settings: { pins: 'off' } }, async host => {
    const loose = await put(host, 'loose')
    t.is((await itemsUntilError(host.call('block/rm', { args: [loose] }))).error, undefined)
    t.false(await has(host, loose))
  })
})
