import test from 'ava'
import { noise, unixfs } from '../../core/unixfs/export/blocks.ts'
import { bytesOf, contentHost } from './helpers.ts'

const large = Buffer.concat([0, 1, 2].map(i => noise(30_000, i)))

test('cat shows files one after the other, a symlink as its target', async t => {
  const { host, at } = await contentHost(t)
  const { bytes } = await bytesOf(host.call('cat', { args: [String(at.text), `${at.folder}/link`, `${at.folder}/large`] }))
  t.deepEqual(bytes, Buffer.concat([Buffer.from('text\nlarge'), large]))
})

const ranges: Array<[bigint, bigint | undefined, string]> = [
  [0n, undefined, 'text\ntext\n'],
  [2n, undefined, 'xt\ntext\n'],
  [5n, undefined, 'text\n'],
  [6n, 2n, 'ex'],
  [3n, 4n, 't\nte'],
  [0n, 5n, 'text\n'],
  [0n, 0n, ''],
  [10n, 1n, ''],
  [100n, undefined, '']
]
for (const [offset, length, wanted] of ranges) {
  test(`cat of two files from ${offset}, ${length ?? 'all'} bytes, is ${JSON.stringify(wanted)}`, async t => {
    const { host, at } = await contentHost(t)
    const { bytes } = await bytesOf(host.call('cat', { args: [String(at.text), String(at.text)], options: { offset, length } }))
    t.is(bytes.toString(), wanted)
  })
}

test('cat looks at no file beyond its length', async t => {
  const { host, at } = await contentHost(t)
  const request = { args: [String(at.text), String(at.folder)], options: { length: 5n } }
  t.is((await bytesOf(host.call('cat', request))).bytes.toString(), 'text\n')
  t.is((await bytesOf(host.call('cat', { ...request, options: {} }))).error, 'this dag node is a directory')
})

test('cat of a range reads only the blocks of it', async t => {
  const { host, blocks, at } = await contentHost(t)
  blocks.asked.length = 0
  const { bytes } = await bytesOf(host.call('cat', { args: [String(at.large)], options: { offset: 30_010n, length: 20n } }))
  t.deepEqual(bytes, large.subarray(30_010, 30_030))
  t.deepEqual(blocks.asked, [String(at.large), String(at.part)])
})

test('cat refuses what is before the start', async t => {
  const { host, at } = await contentHost(t)
  await t.throwsAsync(host.call('cat', { args: ['nope'], options: { offset: -1n } }), { message: 'cannot specify negative offset' })
  await t.throwsAsync(host.call('cat', { args: [String(at.text)], options: { length: -1n } }), {
    message: 'cannot specify negative length'
  })
})

test('a block that is missing ends cat where it is needed, at once if that is the first', async t => {
  const { host, blocks, at } = await contentHost(t)
  blocks.delete(at.part)
  const { bytes, error } = await bytesOf(host.call('cat', { args: [String(at.large)] }))
  t.deepEqual([bytes.length, error], [30_000, 'failed to fetch all nodes'])
  await t.throwsAsync(host.call('cat', { args: [String(at.large)], options: { offset: 30_001n } }), {
    message: 'failed to fetch all nodes'
  })
})

test('the settings say how many blocks without content are read, and how much nesting costs', async t => {
  const { host, blocks, at } = await contentHost(t, { read: { hollow: 10, held: 2000 } })
  const empty = await blocks.pb(unixfs({ type: 2, size: 0n }))
  const over = (links: Array<typeof at.text>, sizes: bigint[] = links.map(cid => (cid === empty ? 0n : 5n))) =>
    blocks.pb(
      unixfs({ type: 2, size: sizes.reduce((sum, size) => sum + size, 0n), sizes }),
      links.map(cid => ['', cid, 1] as const)
    )
  const of = async (cid: typeof at.text) => (await bytesOf(host.call('cat', { args: [String(cid)] }))).error
  t.is(await of(await over([empty, at.text])), undefined)
  t.is(await of(await over(Array(10).fill(empty))), 'the file has more than 10 blocks without content, and fewer bytes than those')
  let deep = at.text
  for (let i = 0; i < 5; i++) deep = await over([deep, at.text], [BigInt(5 * (i + 1)), 5n])
  t.is(await of(deep), 'the graph is nested so deeply that following it takes more than 2000 bytes of memory')
})
