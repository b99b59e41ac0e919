/** Blocks of the tree that are not here, on a node whose exchange finds nobody: calls end, and what is beside them goes on. */
import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { Blocks, Datastore, Exchange, Key, Mfs, ready } from '../../../core/index.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { uploadOf } from '../../core/unixfs/import/upload.ts'
import { type Tree, treeOf } from './helpers.ts'

const SEARCH = 50

/** A node that asks for blocks for ever, as one with peers does whom nobody answers; how often it was asked. */
async function newTree(t: ExecutionContext, node = {}) {
  const asked: string[] = []
  const exchange: Exchange = {
    get: (cid, { signal } = {}) => {
      asked.push(cid.toString())
      return new Promise((_, reject) => {
        if (signal?.aborted) reject(signal.reason)
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    }
  }
  const host = await testHost({ node, services: [ready(Exchange, exchange)], configuration: { plugins: { mfs: { search: SEARCH } } } })
  t.teardown(() => host.stop())
  const tree = treeOf(host)
  const lose = async (cid: string) => t.true(await host.service(Blocks)!.delete(CID.parse(cid)))
  const remove = async (path: string, options = {}) => {
    const failures: string[] = []
    try {
      for await (const line of (await host.call('files/rm', { args: [path], options })) as AsyncIterable<string>) failures.push(line)
    } catch (error) {
      t.is((error as Error).message, "can't remove some files")
    }
    return failures
  }
  return { tree, lose, remove, asked }
}

/** Puts a folder that was added, so that none of it is in memory. */
async function putFolder(tree: Tree, path: string, names: readonly string[]): Promise<void> {
  const body = uploadOf(names.map(name => [`d/${name}`, `content of ${name}`]))
  const added = await itemsOf<{ Hash: string }>(tree.host.call('add', { body, options: { pin: false, rawLeaves: false } }))
  await tree.call('files/cp', [`/ipfs/${added.at(-1)!.Hash}`, path], { flush: false })
  await tree.call('files/flush')
}

test('a folder whose block is gone is an error that names it, and is removed without it; all beside it goes on', async t => {
  const { tree, lose, remove, asked } = await newTree(t)
  await putFolder(tree, '/gone', ['a', 'b'])
  const { Hash } = await tree.call<{ Hash: string }>('files/stat', ['/gone'])
  // the tree is opened anew, so that nothing of it is in memory
  await tree.host.call('files/write', { args: ['/beside'], options: { create: true }, body: uploadOf([['f', 'beside']]) })
  await reopened(tree)
  await lose(Hash)
  const needs = { message: new RegExp(`the mutable tree needs the block ${Hash}, .* within 0.05 s \\(plugins.mfs.search\\)`) }
  for (const call of [
    () => tree.call('files/ls', ['/gone']),
    () => tree.call('files/ls', ['/'], { long: true }),
    () => tree.call('files/stat', ['/gone']),
    () => tree.write('/gone/c', 'c'),
    () => tree.call('files/mkdir', ['/gone/c/d'], { parents: true }),
    () => tree.call('files/cp', ['/gone', '/copy']),
    () => tree.call('files/chcid', ['/gone'], { cidVersion: 1 })
  ])
    await t.throwsAsync(call(), needs)
  t.is(await tree.read('/beside'), 'beside')
  t.deepEqual((await tree.names('/')).sort(), ['beside', 'gone'])
  asked.length = 0
  t.regex((await remove('/gone'))[0]!, new RegExp(`could not find ${Hash}`))
  t.deepEqual(await remove('/gone', { recursive: true }), [])
  t.deepEqual(asked, [], 'nobody is asked for what is removed')
  t.deepEqual(await tree.names('/'), ['beside'])
})

test('a root that is gone is an error that names it, for every call', async t => {
  const { tree, lose } = await newTree(t)
  await tree.write('/f', 'f')
  const { Hash } = await tree.call<{ Hash: string }>('files/stat', ['/'])
  await tree.call('files/flush')
  const other = await tree.host.service(Datastore)!.get(new Key('/local/filesroot'))
  t.is(CID.decode(other).toString(), Hash)
  // another tree takes its place for a moment, so that the first one is opened anew
  await tree.call('files/mkdir', ['/d'])
  const now = (await tree.call<{ Hash: string }>('files/stat', ['/d'])).Hash
  await reopened(tree, now)
  await tree.host.service(Datastore)!.put(new Key('/local/filesroot'), CID.parse(Hash).bytes)
  await lose(Hash)
  await t.throwsAsync(tree.call('files/ls', ['/']), { message: new RegExp(`needs the block ${Hash}`) })
  await t.throwsAsync(tree.write('/g', 'g'), { message: new RegExp(`needs the block ${Hash}`) })
})

test('an entry leaves a sharded folder of which shards are gone, and the entries of all others stay', async t => {
  const { tree, lose, remove, asked } = await newTree(t, { 'Internal.UnixFSShardingSizeThreshold': '1KiB' })
  const names = Array.from({ length: 600 }, (_, i) => `entry-${i}`)
  await putFolder(tree, '/s', names)
  const { Hash } = await tree.call<{ Hash: string }>('files/stat', ['/s'])
  const { Links } = JSON.parse(await textOf(tree.call('dag/get', [Hash]))) as { Links: Array<{ Name: string; Hash: { '/': string } }> }
  const shards = Links.filter(({ Name }) => Name.length === 2)
  const below = shards[0]!.Hash['/']
  const inLost = new Set<string>()
  for (const { Name } of (JSON.parse(await textOf(tree.call('dag/get', [below]))) as { Links: Array<{ Name: string }> }).Links)
    inLost.add(Name.slice(2))
  await reopened(tree)
  await lose(below)
  const [lost] = [...inLost]
  await t.throwsAsync(tree.call('files/stat', [`/s/${lost}`]), { message: new RegExp(`needs the block ${below}`) })
  await t.throwsAsync(tree.call('files/ls', ['/s']), { message: new RegExp(`needs a shard of the directory ${Hash}`) })
  asked.length = 0
  const others = names.filter(name => !inLost.has(name))
  for (const name of others.slice(1)) t.deepEqual(await remove(`/s/${name}`), [])
  t.deepEqual(asked, [], 'what stays is not asked for either')
  t.is(await tree.read(`/s/${others[0]}`), `content of ${others[0]}`)
  await t.throwsAsync(tree.call('files/stat', [`/s/${others[1]}`]), { message: 'file does not exist' })
  await t.throwsAsync(
    tree.call('files/stat', [`/s/${lost}`]),
    { message: new RegExp(`needs the block ${below}`) },
    'its entries are not forgotten'
  )
})

async function textOf(reply: Promise<unknown>): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of (await reply) as AsyncIterable<Uint8Array>) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** Lets go of all of the tree that is in memory. */
async function reopened({ host }: Tree, root?: string): Promise<void> {
  const mfs = host.service(Mfs)!
  await mfs.restore(root === undefined ? await mfs.flush('/') : CID.parse(root))
}
