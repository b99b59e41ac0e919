import { execFileSync } from 'node:child_process'
import test from 'ava'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import type { CID } from 'multiformats/cid'
import { extract, type Header } from 'tar-stream'
import { openNode } from '../../../../core/unixfs/export/node.ts'
import { tarOf } from '../../../../core/unixfs/export/tar.ts'
import { tarHeader } from '../../../../core/unixfs/export/tar-header.ts'
import { hashOfName } from '../../../../core/unixfs/hash-of-name.ts'
import { gathered } from '../../../helpers/streams.ts'
import { Blocks, fieldOf, noise, sourcesOf, unixfs } from './blocks.ts'

async function tar(blocks: Blocks, cid: CID, name = 'root'): Promise<Buffer> {
  return gathered(tarOf(await openNode(cid, sourcesOf(blocks)), name, sourcesOf(blocks)))
}

async function unpack(archive: Buffer): Promise<Array<Header & { content: Buffer }>> {
  const entries: Array<Header & { content: Buffer }> = []
  const unpacker = extract()
  unpacker.end(archive)
  for await (const entry of unpacker) entries.push({ ...entry.header, content: await gathered(entry as AsyncIterable<Uint8Array>) })
  return entries
}

const long = `${'x'.repeat(120)}/${'y'.repeat(90)}`

async function tree(blocks: Blocks, options: Parameters<typeof importer>[2] = {}): Promise<CID> {
  const files = [
    { path: 'd/a.txt', content: Buffer.from('alpha\n') },
    { path: 'd/large', content: noise(300_000) },
    { path: 'd/empty', content: new Uint8Array(0) },
    { path: 'd/sub/é日本', content: Buffer.from('unicode\n') },
    { path: `d/${long}`, content: Buffer.from('long\n') },
    { path: `d/${'z'.repeat(150)}`, content: Buffer.from('longer\n') }
  ]
  let last: CID | undefined
  for await (const { cid } of importer(files, blocks as never, { chunker: fixedSize({ chunkSize: 100_000 }), ...options })) last = cid
  return last!
}

for (const [what, options] of Object.entries({ 'a directory': {}, 'a sharded directory': { shardSplitThresholdBytes: 1 } })) {
  test(`${what} is archived so that other programs unpack it`, async t => {
    const blocks = new Blocks()
    const archive = await tar(blocks, await tree(blocks, options))
    t.is(archive.length % 512, 0)
    t.deepEqual(archive.subarray(-1024), Buffer.alloc(1024))
    const entries = await unpack(archive)
    t.deepEqual(
      entries.map(({ name, type, content }) => [name, type, content.length]).toSorted(),
      [
        ['root', 'directory', 0],
        ['root/a.txt', 'file', 6],
        ['root/empty', 'file', 0],
        ['root/large', 'file', 300_000],
        ['root/sub', 'directory', 0],
        ['root/sub/é日本', 'file', 8],
        [`root/${'x'.repeat(120)}`, 'directory', 0],
        [`root/${long}`, 'file', 5],
        [`root/${'z'.repeat(150)}`, 'file', 7]
      ].toSorted()
    )
    t.deepEqual(entries.find(entry => entry.name === 'root/large')?.content, Buffer.from(noise(300_000)))
    const listed = execFileSync('tar', ['-tf', '-', '--quoting-style=literal'], { input: archive, encoding: 'utf8' })
    t.is(listed.split('\n').length, 10)
  })
}

test('a symlink is archived with its target, modes are the usual ones', async t => {
  const blocks = new Blocks()
  const link = await blocks.pb(unixfs({ type: 4, data: Buffer.from('a target') }))
  const file = await blocks.pb(unixfs({ type: 2, data: noise(3), size: 3n }))
  const root = await blocks.pb(unixfs({ type: 1 }), [
    ['f', file, 1],
    ['l', link, 1]
  ])
  const entries = await unpack(await tar(blocks, root))
  t.deepEqual(
    entries.map(({ name, type, mode, linkname }) => [name, type, mode, linkname]),
    [
      ['root', 'directory', 0o777, null],
      ['root/f', 'file', 0o644, null],
      ['root/l', 'symlink', 0o777, 'a target']
    ]
  )
  t.is(entries[2]?.mtime?.getTime(), 0)
  t.true(Math.abs(entries[1]!.mtime!.getTime() - Date.now()) < 60_000)
})

test('an entry that leads out of the root ends the archive', async t => {
  const blocks = new Blocks()
  const file = await blocks.pb(unixfs({ type: 2, data: noise(3), size: 3n }))
  for (const name of ['..', '../x', 'a/../../x', '/..']) {
    const root = await blocks.pb(unixfs({ type: 1 }), [[name, file, 1]])
    await t.throwsAsync(tar(blocks, root), { code: 'E_TAR_OUTSIDE' }, name)
  }
})

test('an entry whose name is none of a file ends the archive, at the top and below', async t => {
  const blocks = new Blocks()
  const file = await blocks.pb(unixfs({ type: 2, data: noise(3), size: 3n }))
  const link = await blocks.pb(unixfs({ type: 4, data: Buffer.from('/etc') }))
  for (const name of ['', '.', 'a/b', 'a/./b', 'x/evil', '/etc/passwd', 'x/..']) {
    const folder = await blocks.pb(unixfs({ type: 1 }), [
      ['x', link, 1],
      [name, file, 1]
    ])
    const message = `an entry of the folder is called ${JSON.stringify(name)}, which is no name of a file: read it by its CID`
    await t.throwsAsync(tar(blocks, folder), { message }, name)
    await t.throwsAsync(tar(blocks, await blocks.pb(unixfs({ type: 1 }), [['sub', folder, 1]])), { message }, name)
  }
})

test('nothing is archived below a symlink, whose name an entry of its folder has as well', async t => {
  const blocks = new Blocks()
  const file = await blocks.pb(unixfs({ type: 2, data: noise(3), size: 3n }))
  const link = await blocks.pb(unixfs({ type: 4, data: Buffer.from('/etc') }))
  const below = await blocks.pb(unixfs({ type: 1 }), [['evil', file, 1]])
  for (const [name, second] of [
    ['x', below],
    ['x', file],
    ['x', link],
    ['z/../x', below]
  ] as const) {
    const folder = await blocks.pb(unixfs({ type: 1 }), [
      ['x', link, 1],
      [name, second, 1]
    ])
    await t.throwsAsync(tar(blocks, folder), { message: 'the folder has a symlink "x", and another entry of that name' })
  }
})

test('nothing is archived below a symlink that another shard of its folder has', async t => {
  const blocks = new Blocks()
  const file = await blocks.pb(unixfs({ type: 2, data: noise(3), size: 3n }))
  const link = await blocks.pb(unixfs({ type: 4, data: Buffer.from('/etc') }))
  const below = await blocks.pb(unixfs({ type: 1 }), [['evil', file, 1]])
  const shard = (entries: ReadonlyArray<readonly [slot: number, name: string, cid: CID]>) => {
    const sorted = [...entries].sort(([a], [b]) => a - b)
    const links = sorted.map(([slot, name, cid]) => [slot.toString(16).toUpperCase().padStart(2, '0') + name, cid, 1] as const)
    return blocks.pb(unixfs({ type: 5, hash: 0x22, fanout: 256n, data: fieldOf(sorted.map(([slot]) => slot)) }), [...links])
  }
  const [symlink, folder] = [hashOfName('x'), hashOfName('./x')]
  const inner = await shard([[folder[1]!, './x', below]])
  const root = await shard([
    [symlink[0]!, 'x', link],
    [folder[0]!, '', inner]
  ])
  await t.throwsAsync(tar(blocks, root), { code: 'E_TAR_TWICE' })
})

test('a file that is longer or shorter than it declares is not archived, nor is one of a size that no entry can have', async t => {
  const blocks = new Blocks()
  const longer = await blocks.pb(unixfs({ type: 2, data: noise(5), size: 3n }))
  const shorter = await blocks.pb(unixfs({ type: 2, data: noise(5), size: 24n << 30n }))
  for (const cid of [longer, shorter]) await t.throwsAsync(tar(blocks, cid), { code: 'E_UNIXFS_SIZE' })
  const folder = await blocks.pb(unixfs({ type: 1 }), [['longer', longer, 1]])
  await t.throwsAsync(tar(blocks, folder), { code: 'E_UNIXFS_SIZE' })
  const half = 1n << 62n
  const negative = await blocks.pb(unixfs({ type: 2, sizes: [half, half], size: 2n * half }), [
    ['', longer, 1],
    ['', longer, 1]
  ])
  await t.throwsAsync(tar(blocks, negative), { code: 'E_TAR_SIZE' })
})

test('a missing entry ends the archive with what is wrong with it', async t => {
  const blocks = new Blocks()
  const cid = await tree(blocks)
  const root = await openNode(cid, sourcesOf(blocks))
  if (root.type !== 'directory') throw new TypeError(root.type)
  const lost = root.root.node.cid(0)
  blocks.delete(lost)
  await t.throwsAsync(tar(blocks, cid), { message: `block was not found locally (offline): ipld: could not find ${lost}` })
})

test('a header is the one that archive/tar of Go writes', t => {
  const header = tarHeader({ type: 'file', path: 'a', size: 5n, mtime: { seconds: 1_700_000_000n, nanoseconds: 0 } })
  t.is(header.length, 512)
  t.is(header.toString('latin1', 100, 157), '0000644\x000000000\x000000000\x0000000000005\x0014524770400\x00007405\x00 0')
  t.is(header.toString('latin1', 257, 265), 'ustar\x0000')
  t.is(tarHeader({ type: 'directory', path: 'p'.repeat(100), size: 0n, mtime: { seconds: 0n, nanoseconds: 0 } }).length, 512)
  const split = tarHeader({ type: 'file', path: long, size: 0n, mtime: { seconds: 0n, nanoseconds: 0 } })
  t.is(split.length, 512)
  t.is(split.toString('latin1', 345, 345 + 120), 'x'.repeat(120))
  const pax = tarHeader({ type: 'file', path: 'd/é', size: 8n ** 11n, mtime: { seconds: 0n, nanoseconds: 0 } })
  t.is(pax.toString('latin1', 0, 15), 'd/PaxHeaders.0\x00')
  t.is(pax.toString('utf8', 512, 512 + 36), '13 path=d/é\n19 size=8589934592\n\x00\x00\x00\x00')
  t.throws(() => tarHeader({ type: 'file', path: 'a\x00b', size: 0n, mtime: { seconds: 0n, nanoseconds: 0 } }), {
    message: 'archive/tar: invalid tar header: there is a NUL in the name of "a\\u0000b", which no archive can hold'
  })
})
