/** Files that came by `add` and are written into: what was in them stays. */
import test from 'ava'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { writePb } from '../../../core/dag/index.ts'
import { Blocks } from '../../../core/index.ts'
import { NO_NAME } from '../../../core/unixfs/index.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { dataOf, type Tree, treeOf } from './helpers.ts'

async function newTree(t: { teardown(fn: () => Promise<unknown>): void }): Promise<Tree> {
  const host = await testHost()
  t.teardown(() => host.stop())
  return treeOf(host)
}

async function put(tree: Tree, path: string, bytes: Uint8Array | string, options: Readonly<Record<string, unknown>>): Promise<void> {
  const [added] = await itemsOf<{ Hash: string }>(
    tree.host.call('add', { body: dataOf(bytes), options: { pin: false, quieter: true, ...options } })
  )
  await tree.call('files/cp', [`/ipfs/${added!.Hash}`, path])
}

const layouts = {
  'a dag-pb block': { cidVersion: 0 },
  'a raw block': { cidVersion: 1 },
  'a raw block of a file of version 0': { cidVersion: 0, rawLeaves: true },
  'a dag-pb block of version 1': { cidVersion: 1, rawLeaves: false },
  'a block with a mode': { cidVersion: 1, rawLeaves: false, mode: 0o644 },
  'a block inside its CID': { cidVersion: 1, inline: true },
  'a trickle node': { trickle: true },
  'a trickle node of raw leaves': { trickle: true, cidVersion: 1 }
} as const

for (const [what, options] of Object.entries(layouts))
  test(`what is written at, over and behind the end of a file of ${what} is put behind what was there`, async t => {
    const tree = await newTree(t)
    for (const rawLeaves of [undefined, true, false]) {
      const leaves = rawLeaves === undefined ? {} : { rawLeaves }
      for (const [i, [offset, bytes, expected]] of (
        [
          [5, 'XY', 'helloXY'],
          [3, 'XYZ', 'helXYZ'],
          [8, 'XY', 'hello\0\0\0XY'],
          [0, 'longer', 'longer'],
          [5, '', 'hello']
        ] as const
      ).entries()) {
        const path = `/${rawLeaves}${i}`
        await put(tree, path, 'hello', options)
        await tree.write(path, bytes, { offset: BigInt(offset), ...leaves })
        t.is(await tree.read(path), expected, path)
        t.is(Number((await tree.stat(path)).Size), expected.length)
        await tree.write(path, '+', { offset: BigInt(expected.length), ...leaves })
        t.is(await tree.read(path), `${expected}+`)
        await tree.write(path, 'new', { truncate: true, ...leaves })
        t.is(await tree.read(path), 'new')
        t.is(Number((await tree.stat(path)).Size), 3)
      }
    }
  })

test('a raw block becomes the first child of the file that grows, with the CIDs of Kubo 0.42', async t => {
  const tree = await newTree(t)
  await put(tree, '/f', 'hello', { cidVersion: 1 })
  await tree.write('/f', 'XY', { offset: 5n })
  t.is((await tree.stat('/f')).Hash, 'bafybeif2dzulm26kfavhskfdoujjplyhus5ac2ualyc7yib2r4otzfoyoy')
  await put(tree, '/g', 'hello', { cidVersion: 1 })
  await tree.write('/g', 'new', { truncate: true })
  t.is((await tree.stat('/g')).Hash, 'bafybeibvalziweghhthhvqoit6r6p3d7fqfgatxdb6s5froxrdzhjhz57e')
})

test('a file with more leaves, or less even ones, than the layout of appended ones has is appended to', async t => {
  const tree = await newTree(t)
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, i) => i & 255))
  for (const [i, options] of [
    { chunker: 'size-1', maxFileLinks: 1000 },
    { chunker: 'size-1', maxFileLinks: 1000, cidVersion: 1 },
    { chunker: 'size-5', maxFileLinks: 176 },
    { chunker: 'size-1', maxFileLinks: 2 },
    { chunker: 'size-1', maxFileLinks: 175, trickle: true }
  ].entries()) {
    await put(tree, `/f${i}`, bytes, options)
    await tree.write(`/f${i}`, 'behind', { offset: 1000n })
    await tree.write(`/f${i}`, 'again', { offset: 1006n })
    t.is(await tree.read(`/f${i}`), `${bytes.toString('latin1')}behindagain`, JSON.stringify(options))
  }
})

test('a mode and a time of a file of one block are still there when it has grown', async t => {
  const tree = await newTree(t)
  await put(tree, '/f', 'hello', { mode: 0o640 })
  await tree.write('/f', 'XY', { offset: 5n })
  t.is((await tree.call<{ Mode: string }>('files/stat', ['/f'])).Mode, '0640')
})

test('bytes of a node besides its children are not lost when the file is written into, and not left when it is cut', async t => {
  const tree = await newTree(t)
  const blocks = tree.host.service(Blocks)!
  const leaf = CID.createV1(0x55, await sha256.digest(Buffer.from('XY')))
  await blocks.put(leaf, Buffer.from('XY'))
  const unixfs = Uint8Array.from([0x08, 0x02, 0x12, 0x05, ...Buffer.from('hello'), 0x18, 7, 0x20, 2])
  const bytes = writePb([{ cid: leaf.bytes, name: NO_NAME, size: 2 }], unixfs)
  const root = CID.createV1(0x70, await sha256.digest(bytes))
  await blocks.put(root, bytes)
  await tree.call('files/cp', [`/ipfs/${root}`, '/f'])
  await tree.call('files/cp', [`/ipfs/${root}`, '/g'])
  await tree.write('/f', 'J', { offset: 0n })
  await tree.write('/f', '!', { offset: 7n })
  t.is(await tree.read('/f'), 'JelloXY!')
  await tree.write('/g', 'new', { truncate: true })
  t.is(await tree.read('/g'), 'new')
})

test('a file is written anew although what goes is not stored here', async t => {
  const tree = await newTree(t)
  await put(tree, '/f', 'some bytes', { chunker: 'size-4' })
  const { Links } = await tree
    .call<{ Links: Array<{ Hash: { '/': string } }> }>('dag/get', [(await tree.stat('/f')).Hash])
    .then(async reply => {
      const pieces: Uint8Array[] = []
      for await (const piece of reply as unknown as AsyncIterable<Uint8Array>) pieces.push(piece)
      return JSON.parse(Buffer.concat(pieces).toString())
    })
  await tree.host.service(Blocks)!.delete(CID.parse(Links[0]!.Hash['/']))
  await tree.write('/f', 'new', { truncate: true })
  t.is(await tree.read('/f'), 'new')
})
