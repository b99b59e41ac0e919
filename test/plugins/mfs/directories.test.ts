import { join } from 'node:path'
import test from 'ava'
import { CID } from 'multiformats/cid'
import { type Block, type BlockOptions, Blocks, Dag, Datastore } from '../../../core/index.ts'
import { DIRECTORY_DATA } from '../../../core/unixfs/import/encode.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { V0 } from '../../../plugins/mfs/naming.ts'
import { Nodes } from '../../../plugins/mfs/tree/nodes.ts'
import { openTree as openMutable } from '../../../plugins/mfs/tree/tree.ts'
import { uploadOf } from '../../core/unixfs/import/upload.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { until } from '../../helpers/until.ts'
import { newTree, openTree, treeOf } from './helpers.ts'

/** Names of which some share the first bytes of their hashes, so that shards are several deep. */
const names = (count: number) => Array.from({ length: count }, (_, i) => `entry-${i}`)

test('a directory that grows by one entry at a time has the CID that an upload of all of them has, sharded or not', async t => {
  const tree = await newTree(t, { threshold: '3kB' })
  const files = names(300)
  await tree.call('files/mkdir', ['/d'])
  for (const [i, name] of files.entries()) {
    const { Hash } = (await added(tree.host, [[`${name}`, `${name}\n`]])).at(-1)!
    await tree.call('files/cp', [`/ipfs/${Hash}`, `/d/${name}`], { flush: i % 50 === 0 })
    if (![10, 60, 80, 299].includes(i)) continue
    const whole = files.slice(0, i + 1).map(name => [`d/${name}`, `${name}\n`] as const)
    t.is((await tree.stat('/d')).Hash, (await added(tree.host, whole)).at(-1)!.Hash, `${i + 1} entries`)
  }
})

test('a sharded directory that shrinks has at every size the CID of one that was made of it, down to none', async t => {
  const tree = await newTree(t, { threshold: '3kB' })
  const files = names(120)
  const { Hash } = (
    await added(
      tree.host,
      files.map(name => [`d/${name}`, `${name}\n`] as const)
    )
  ).at(-1)!
  await tree.call('files/cp', [`/ipfs/${Hash}`, '/d'])
  for (const [i, name] of files.entries()) {
    t.deepEqual(await itemsOf(tree.host.call('files/rm', { args: [`/d/${name}`] })), [])
    const left = files.slice(i + 1)
    if (left.length % 20 !== 0 || left.length === 0) continue
    t.is(
      (await tree.stat('/d')).Hash,
      (
        await added(
          tree.host,
          left.map(name => [`d/${name}`, `${name}\n`] as const)
        )
      ).at(-1)!.Hash,
      `${left.length} left`
    )
  }
  t.is((await tree.stat('/d')).Hash, 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
})

test('the last entry of a sharded directory can be removed, and an entry put again', async t => {
  const tree = await newTree(t, { threshold: '1B' })
  await tree.call('files/mkdir', ['/s'])
  for (const name of names(40)) await tree.write(`/s/${name}`, name)
  for (const name of names(40)) t.deepEqual(await itemsOf(tree.host.call('files/rm', { args: [`/s/${name}`] })), [])
  t.deepEqual(await tree.names('/s'), [])
  await tree.write('/s/again', 'again')
  t.is(await tree.read('/s/again'), 'again')
})

test('what is beyond the limit of memory is let go of, and found again', async t => {
  const tree = await newTree(t, { mfs: { held: 1024, journal: 64 }, threshold: '4kB' })
  for (let i = 0; i < 12; i++) {
    await tree.call('files/mkdir', [`/d${i}`])
    for (const name of names(120)) await tree.write(`/d${i}/${name}`, `${i} ${name}`, { flush: false })
  }
  await tree.call('files/flush')
  for (let i = 0; i < 12; i++) {
    t.is((await tree.names(`/d${i}`)).length, 120)
    t.is(await tree.read(`/d${i}/entry-77`), `${i} entry-77`)
  }
})

test('what was changed is there after a start, in directories of any form', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const tree = await openTree(repo, { threshold: '500B' })
  for (const name of names(30)) await tree.write(`/d/${name}`, name, { parents: true, flush: false })
  await tree.call('files/chcid', ['/d'], { cidVersion: 1 })
  const { Hash } = await tree.stat('/')
  await tree.call('files/mkdir', ['/after'])
  await tree.host.stop()
  const again = await openTree(repo, { threshold: '500B' })
  t.teardown(() => again.host.stop())
  t.deepEqual(await itemsOf(again.host.call('files/rm', { args: ['/after'], options: { recursive: true } })), [])
  t.is((await again.stat('/')).Hash, Hash)
})

test('a directory with a name that only bytes can spell survives', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = treeOf(host)
  const odd = '/caf\udce9'
  await tree.write(odd, 'latin1')
  t.deepEqual(await tree.names('/'), ['caf\udce9'])
  await tree.call('files/mv', [odd, '/moved'])
  t.is(await tree.read('/moved'), 'latin1')
})

test('a directory that cannot have a CID is refused, and nothing above it suffers', async t => {
  const tree = await newTree(t)
  await tree.write('/f', 'kept')
  const { Hash } = await tree.stat('/')
  await t.throwsAsync(tree.call('files/mkdir', ['/bad'], { hash: 'murmur3-x64-64' }), {
    message: 'potentially insecure hash functions not allowed'
  })
  await t.throwsAsync(tree.call('files/chcid', ['/'], { hash: 'murmur3-x64-64' }), {
    message: 'potentially insecure hash functions not allowed'
  })
  t.is((await tree.stat('/')).Hash, Hash)
  await tree.call('files/mkdir', ['/inline'], { hash: 'identity' })
  for (const name of names(2500)) await tree.call('files/cp', ['/f', `/inline/${name}`], { flush: false })
  t.regex((await tree.stat('/inline')).Hash, /^bafybei/, 'too large for a CID that holds it')
})

test('a path may have so many parts and no more', async t => {
  const tree = await newTree(t, { mfs: { maxDepth: 20 } })
  const deep = `/${Array.from({ length: 20 }, () => 'd').join('/')}`
  await tree.call('files/mkdir', [deep], { parents: true })
  await t.throwsAsync(tree.call('files/mkdir', [`${deep}/d`]), { message: /more than 20 parts \(plugins\.mfs\.maxDepth\)/ })
  await tree.write(`${deep}/f`, 'at the bottom')
  t.is(await tree.read(`${deep}/f`), 'at the bottom')
})

async function added(host: { call(path: string, request: object): Promise<unknown> }, files: ReadonlyArray<readonly [string, string]>) {
  return (await itemsOf(host.call('add', { body: uploadOf(files), options: { pin: false } }))) as Array<{ Hash: string }>
}

test('a directory that was made, moved or copied has its blocks before the change is kept', async t => {
  const tree = await newTree(t)
  const blocks = tree.host.service(Blocks)!
  const datastore = tree.host.service(Datastore)!
  const { put } = datastore
  const missing: string[] = []
  // What a record of the journal refers to has to be stored when the record is written.
  datastore.put = async (key, value, options) => {
    const cids = [
      ...Buffer.from(value)
        .toString()
        .matchAll(/"cid":"([^"]+)"/g)
    ].map(([, cid]) => CID.parse(cid!))
    for (const cid of cids) if (!(await blocks.has(cid))) missing.push(cid.toString())
    return put.call(datastore, key, value, options)
  }
  await itemsOf(tree.host.call('pin/rm', { args: ['QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'] }).then(reply => [reply]))
  await tree.call('files/mkdir', ['/a/b'], { parents: true })
  await tree.write('/a/b/f', 'f', { flush: false })
  await tree.call('files/mv', ['/a', '/c'])
  await tree.call('files/chcid', ['/c/b'], { cidVersion: 1, flush: false })
  await tree.call('files/cp', ['/c', '/d'])
  t.deepEqual(missing, [])
})

test('a directory that is moved out of a sharded one, of which little is in memory, is moved once', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const before = await openTree(repo, { threshold: '4kB' })
  await before.call('files/mkdir', ['/s'])
  for (const name of names(150)) await before.call('files/mkdir', [`/s/${name}`], { flush: false })
  await before.write('/s/entry-7/f', 'f')
  await before.host.stop()
  const tree = await openTree(repo, { threshold: '4kB' })
  t.teardown(() => tree.host.stop())
  await tree.call('files/mv', ['/s/entry-7', '/moved'])
  t.deepEqual(await tree.names('/moved'), ['f'])
  await tree.call('files/mv', ['/s/entry-8', '/s/renamed'])
  t.deepEqual(await tree.names('/s/renamed'), [])
  t.is((await tree.names('/s')).length, 149)
})

test('a directory that is moved out of, or within, a sharded one of which little is in memory is where it should be, and as it was', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const options = { threshold: '20kB' }
  const tree = await openTree(repo, options)
  for (const name of names(700)) await tree.call('files/mkdir', [`/big/${name}`], { parents: true, flush: false })
  for (const name of ['entry-5', 'entry-6']) await tree.write(`/big/${name}/inside`, name)
  await tree.host.stop()
  for (const [from, to] of [
    ['/big/entry-5', '/out'],
    ['/big/entry-6', '/big/other']
  ] as const) {
    const again = await openTree(repo, options)
    await again.call('files/mv', [from, to])
    t.deepEqual(await again.names(to), ['inside'], to)
    await t.throwsAsync(again.stat(from), { message: /does not exist/ })
    await again.host.stop()
  }
})

test('who only reads does not fill the memory with directories either, whether there are changes that wait or not', async t => {
  const tree = await newTree(t, { mfs: { held: 1024 } })
  const files = Array.from({ length: 12 }, (_, d) => names(120).map(name => [`all/d${d}/${name}`, `${d}`] as const)).flat()
  const { Hash } = (await added(tree.host, files)).at(-1)!
  await tree.call('files/cp', [`/ipfs/${Hash}`, '/all'])
  const { Hash: first } = await tree.stat('/all/d0')
  const blocks = tree.host.service(Blocks)!
  const { get } = blocks
  let reads = 0
  blocks.get = (cid, options) => {
    if (cid.toString() === first) reads++
    return get.call(blocks, cid, options)
  }
  for (const changes of [false, true]) {
    if (changes) await tree.call('files/mkdir', ['/new'], { flush: false })
    reads = 0
    // What is kept in memory would be read from the store once at most.
    await until('the first directory is read again', async () => {
      for (let d = 0; d < 12; d++) await tree.stat(`/all/d${d}/entry-7`)
      return reads >= 2
    })
    t.true(reads >= 2)
  }
})

test('with lines a directory of any size is listed an entry at a time, before all of it is loaded', async t => {
  const tree = await newTree(t, { mfs: { held: 1024, maxListing: 1024 } })
  const files = names(5000).map(name => [`large/${name}`, name] as const)
  const { Hash } = (await added(tree.host, files)).at(-1)!
  await tree.call('files/cp', [`/ipfs/${Hash}`, '/large'])
  await t.throwsAsync(tree.call('files/ls', ['/large']), { code: 'E_MFS_LISTING' })
  for (const long of [false, true]) {
    const listed = await itemsOf<{ Name: string; Hash: string }>(await tree.call('files/ls', ['/large'], { lines: true, long }))
    t.deepEqual(listed.map(({ Name }) => Name).sort(), names(5000).sort())
    t.true(listed.every(entry => (entry.Hash === '') === !long))
  }
  const blocks = tree.host.service(Blocks)!
  const { get } = blocks
  let reads = 0
  blocks.get = (cid, options) => {
    reads++
    return get.call(blocks, cid, options)
  }
  const items = (await tree.call<AsyncIterable<unknown>>('files/ls', ['/large'], { lines: true, long: true }))[Symbol.asyncIterator]()
  await items.next()
  t.true(reads < 2500, `${reads} of more than 5,000 blocks were read for the first entry`)
  await items.return?.()
})

test('what was let go of while it was waited for is waited for again', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const blocks = host.service(Blocks)!
  let inBetween = () => {}
  const between = {
    get: async (cid: CID, options?: BlockOptions) => {
      const bytes = await blocks.get(cid, options)
      inBetween()
      return bytes
    },
    putAll: (all: readonly Block[], options?: BlockOptions) => blocks.putAll(all, options)
  } as Blocks
  const nodes = new Nodes(between, host.service(Dag)!)
  const tree = await openMutable(nodes.make(V0, [], DIRECTORY_DATA).cid, nodes, { threshold: 1, held: 0 })
  for (const name of names(400)) await tree.run(() => tree.mkdir(tree.root, name, V0))
  tree.fold(tree.root)
  await nodes.store()
  tree.trim()
  let times = 0
  // A checkpoint that ends while a directory is read.
  inBetween = () => {
    if (++times < 6) tree.trim()
  }
  t.truthy(await tree.run(() => tree.lookup(['entry-5'])))
  t.true(times >= 6)
})
