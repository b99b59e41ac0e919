/** What each strategy provides, and which of them go together. */
import { randomBytes } from 'node:crypto'
import test from 'ava'
import { Blocks, Blockstore, CID, Dag, Mfs, Pins } from '../../../core/index.ts'
import { provideStrategy } from '../../../core/network/index.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { toProvide, treeOf } from '../../../plugins/provide/strategy.ts'
import { file } from '../../helpers/dht.ts'

const KEY = 'Provide.Strategy'

const distinct = (some: readonly string[]) => [...new Set(some)].sort()

test('strategies that do not go together, are unknown or empty are named with what is wrong', t => {
  const refused = (text: string, message: string) => t.throws(() => provideStrategy(KEY, text), { message }, text)
  for (const text of ['all+pinned', 'mfs+all', 'flat+roots', 'all+unique'])
    refused(text, `${KEY}: "${text}": all provides every block, so that no other part goes with it`)
  for (const text of ['unique', 'roots+unique', 'entities'])
    refused(text, `${KEY}: "${text}": unique and entities go with pinned, mfs, or both`)
  for (const text of ['pinned+roots+unique', 'roots+mfs+entities'])
    refused(text, `${KEY}: "${text}": unique and entities do not go with roots, which are not followed`)
  for (const text of ['pinned+', '+mfs', 'pinned++mfs']) refused(text, `${KEY}: "${text}": a part of it is empty`)
  refused('pinned+some', `${KEY}: unknown reprovider strategy "some"`)
  for (const text of [
    '',
    'all',
    'flat',
    'pinned',
    'roots',
    'mfs',
    'pinned+mfs',
    'roots+mfs',
    'pinned+roots',
    'pinned+mfs+unique',
    'mfs+entities',
    'pinned+unique+entities'
  ])
    t.notThrows(() => provideStrategy(KEY, text), text)
})

test('each strategy, and each combination, provides what it says', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const call = async (path: string, options: object) => itemsOf(await host.call(path as 'add', options as never))
  const add = async (size: number, options: object = {}) =>
    ((await call('add', { body: file(randomBytes(size)), options })) as [{ Hash: string }])[0].Hash
  const large = await add(600_000)
  const unpinned = await add(100, { pin: false })
  const inTree = await add(600_000, { pin: false })
  await host.call('files/mkdir', { args: { path: '/folder' } })
  for (const [cid, name] of [
    [large, 'pinned'],
    [inTree, 'own']
  ])
    await host.call('files/cp', { args: { source: `/ipfs/${cid}`, dest: `/folder/${name}` } })
  const blocks = host.service(Blocks)!
  const [dag, mfs] = [host.service(Dag)!, host.service(Mfs)!]
  const tree = treeOf(mfs, dag, blocks)
  const parts = { blockstore: host.service(Blockstore)!, pins: host.service(Pins)!, tree }
  const provided = async (text: string) => {
    const found: string[] = []
    for await (const { multihash } of toProvide(provideStrategy(KEY, text), parts, new AbortController().signal))
      found.push(Buffer.from(multihash.bytes).toString('hex'))
    return found
  }
  const below = async (root: string | CID) => {
    const found: string[] = []
    for await (const { cid } of dag.walk(typeof root === 'string' ? CID.parse(root) : root))
      found.push(Buffer.from(cid.multihash.bytes).toString('hex'))
    return found
  }
  const of = (...cids: ReadonlyArray<string | CID>) =>
    cids.map(cid => Buffer.from((typeof cid === 'string' ? CID.parse(cid) : cid).multihash.bytes).toString('hex'))
  const [root, folder] = [(await mfs.stat('/')).cid, (await mfs.stat('/folder')).cid]
  const pinned: string[] = []
  for await (const { cid } of parts.pins.list()) pinned.push(...of(cid))
  const same = async (text: string, ...wanted: ReadonlyArray<readonly string[]>) =>
    t.deepEqual(distinct(await provided(text)), distinct(wanted.flat()), text)
  await same('roots', pinned)
  await same('pinned', pinned, await below(large))
  await same('mfs', await below(root))
  await same('pinned+mfs', pinned, await below(large), await below(root))
  await same('roots+mfs', pinned, await below(root))
  await same('pinned+roots', pinned, await below(large))
  await same('pinned+mfs+unique', pinned, await below(large), await below(root))
  await same('mfs+entities', of(root, folder, large, inTree))
  await same('pinned+entities', pinned)
  const entities = await provided('pinned+mfs+entities')
  t.is(entities.length, new Set(entities).size, 'each once')
  t.deepEqual(distinct(entities), distinct([...pinned, ...of(root, folder, inTree)]))
  const all = new Set(await provided('all'))
  t.deepEqual(distinct(await provided('flat')), distinct([...all]))
  for (const one of [...of(unpinned, inTree), ...(await below(large))]) t.true(all.has(one))
})

test('of a tree that is not stored as a whole, what is stored is provided', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const [{ Hash }] = (await itemsOf(await host.call('add', { body: file(randomBytes(600_000)), options: { pin: false } }))) as [
    { Hash: string }
  ]
  await host.call('files/cp', { args: { source: `/ipfs/${Hash}`, dest: '/file' } })
  const dag = host.service(Dag)!
  const leaves = dag.links(CID.parse(Hash), await host.service(Blocks)!.get(CID.parse(Hash)))
  await host.service(Blockstore)!.delete(leaves[0]!.cid)
  const parts = { blockstore: host.service(Blockstore)!, pins: undefined, tree: treeOf(host.service(Mfs)!, dag, host.service(Blocks)!) }
  const found: string[] = []
  for await (const cid of toProvide(provideStrategy(KEY, 'mfs'), parts, new AbortController().signal)) found.push(cid.toString())
  t.true(found.includes(Hash))
  t.false(found.includes(leaves[0]!.cid.toString()))
  t.true(found.includes(leaves[1]!.cid.toString()))
})
