import * as dagCbor from '@ipld/dag-cbor'
import test from 'ava'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import type { CID } from 'multiformats/cid'
import type { Codec } from '../../../core/index.ts'
import { resolveSegments } from '../../../core/path/resolve.ts'
import { ContentPathResolver } from '../../../core/path/resolver.ts'
import { Blocks, noise, sourcesOf, unixfs } from '../unixfs/export/blocks.ts'

interface World {
  readonly blocks: Blocks
  readonly paths: ContentPathResolver
  /** CIDs by name. */
  readonly at: Readonly<Record<string, CID>>
}

/** A folder with a file of one block, one of many, a raw one, a symlink, a sharded folder; CBOR and a plain dag-pb node over them. */
async function world(): Promise<World> {
  const blocks = new Blocks()
  const one = await blocks.pb(unixfs({ type: 2, data: noise(5), size: 5n }))
  const empty = await blocks.pb(unixfs({ type: 2, size: 0n }))
  const raw = await blocks.add(0x55, noise(6))
  let many: CID | undefined
  for await (const { cid } of importer([{ content: noise(100) }], blocks as never, { chunker: fixedSize({ chunkSize: 10 }) })) many = cid
  let shards: CID | undefined
  const files = Array.from({ length: 300 }, (_, i) => ({ path: `d/f${i}`, content: Buffer.from(String(i)) }))
  for await (const { cid } of importer(files, blocks as never, { shardSplitThresholdBytes: 1 })) shards = cid
  const link = await blocks.pb(unixfs({ type: 4, data: Buffer.from('one') }))
  const sub = await blocks.pb(unixfs({ type: 1 }), [['one', one, 5]])
  const all: Array<[string, CID, number]> = [
    ['empty', empty, 0],
    ['link', link, 1],
    ['many', many!, 1],
    ['one', one, 5],
    ['raw', raw, 6],
    ['shards', shards!, 1],
    ['sub', sub, 1]
  ]
  const dir = await blocks.pb(unixfs({ type: 1 }), all)
  const cbor = await blocks.add(0x71, dagCbor.encode({ a: { b: [1, { c: 'deep' }] }, dir, list: [raw, dir], text: 't' }))
  const plain = await blocks.pb(undefined, [['x', dir, 1]])
  return {
    blocks,
    paths: new ContentPathResolver(sourcesOf(blocks)),
    at: { one, empty, raw, many: many!, shards: shards!, link, sub, dir, cbor, plain }
  }
}

/** The name of the node where a path ends, and what remains of the path. */
const found = {
  dir: 'dir',
  'dir/one': 'one',
  'dir/sub/one': 'one',
  'dir/raw': 'raw',
  'plain/x/sub': 'sub',
  'cbor/a': 'cbor/a',
  'cbor/a/b/1/c': 'cbor/a/b/1/c',
  'cbor/dir/sub/one': 'one',
  'cbor/list/0': 'raw',
  'cbor/list/1/many': 'many',
  '/ipld/dir': 'dir',
  '/ipld/dir/Links/3/Hash': 'one',
  '/ipld/dir/Links/3/Name': 'dir/Links/3/Name',
  '/ipld/cbor/dir/Links/6/Hash/Data': 'sub/Data'
}
for (const [path, end] of Object.entries(found)) {
  test(`${path} ends at ${end}`, async t => {
    const { paths, at } = await world()
    const resolved = await paths.resolve(path.replace(/^(\/ipld\/)?(\w+)/, (_, ns = '', root) => ns + at[root]))
    const [cid] = end.split('/')
    t.is(resolved.cid.toString(), at[cid!]!.toString())
    t.is(resolved.remainder, end.slice(cid!.length))
  })
}

const missed: Array<[string, string]> = [
  ['dir/nope', 'no link named "nope" under dir'],
  ['dir/sub/nope/more', 'no link named "nope" under sub'],
  ['dir/shards/f1000', 'no link named "f1000" under shards'],
  ['dir/link/x', 'no link named "x" under link'],
  ['plain/y', 'no link named "y" under plain'],
  [
    'dir/one/x',
    'func called on wrong kind: "LookupBySegment" called on a data.Bytes node (kind: bytes), but only makes sense on map or list'
  ],
  ['dir/empty/x', 'func called on wrong kind: "LookupBySegment" called on a bytes node (kind: bytes), but only makes sense on map or list'],
  ['dir/raw/x', 'func called on wrong kind: "LookupBySegment" called on a bytes node (kind: bytes), but only makes sense on map or list'],
  ['dir/many/x', 'func called on wrong kind: "" called on a INVALID node, but only makes sense on <empty KindSet>'],
  ['dir/one/x/y', 'no link named "x" under one'],
  ['dir/many/x/y', 'no link named "x" under many'],
  ['cbor/nope', 'key not found: "nope"'],
  ['cbor/nope/x', 'no link named "nope" under cbor'],
  ['cbor/a/nope/x', 'no link named "nope" under cbor'],
  ['cbor/list/2', 'key not found: "2"'],
  ['cbor/list/x', 'invalid segment for lookup on a list: "x": strconv.ParseInt: parsing "x": invalid syntax'],
  [
    'cbor/text/x',
    'func called on wrong kind: "LookupBySegment" called on a string node (kind: string), but only makes sense on map or list'
  ],
  ['/ipld/dir/one', 'no link named "one" under dir']
]
for (const [path, message] of missed) {
  test(`${path} is nowhere: ${message}`, async t => {
    const { paths, at } = await world()
    const asked = path.replace(/^(\/ipld\/)?(\w+)/, (_, ns = '', root) => ns + at[root])
    await t.throwsAsync(paths.resolve(asked), { message: message.replace(/(?<=under )\w+$/, name => String(at[name])) })
  })
}

test('every entry of a sharded folder is found', async t => {
  const { paths, at } = await world()
  for (let i = 0; i < 300; i += 37) {
    const { cid } = await paths.resolve(`${at['dir']}/shards/f${i}`)
    t.is(cid.code, 0x55)
  }
})

test('no block is loaded for the last segment, nor for a bare CID', async t => {
  const { blocks, paths, at } = await world()
  blocks.asked.length = 0
  await paths.resolve(String(at['dir']))
  await paths.resolve('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
  t.deepEqual(blocks.asked, [])
  await paths.resolve(`${at['dir']}/sub/one`)
  t.deepEqual(blocks.asked, [String(at['dir']), String(at['sub'])])
})

test('a missing block says where on the way it was needed', async t => {
  const { blocks, paths, at } = await world()
  blocks.delete(at['sub']!)
  t.is((await paths.resolve(`${at['dir']}/sub`)).cid.toString(), String(at['sub']))
  const missing = `block was not found locally (offline): ipld: could not find ${at['sub']}`
  await t.throwsAsync(paths.resolve(`${at['dir']}/sub/one`), {
    code: 'E_BLOCK_NOT_FOUND',
    message: `error traversing node at "sub": could not load link "${at['sub']}": ${missing}`
  })
  await t.throwsAsync(paths.resolve(`${at['cbor']}/dir/sub/one`), { message: /^error traversing node at "dir\/sub": / })
  await t.throwsAsync(paths.resolve(`${at['sub']}/one`), { message: missing })
})

test('a missing shard is told at the last segment, and hides the name before', async t => {
  const { blocks, paths, at } = await world()
  const shards = await blocks.get(at['shards']!)
  const names = Array.from({ length: 300 }, (_, i) => `f${i}`)
  blocks.map.clear()
  await blocks.put(at['shards']!, shards)
  await blocks.add(0x70, shards)
  const errors = await Promise.all(
    names.map(name =>
      paths.resolve(`${at['shards']}/${name}`).then(
        () => 'found',
        error => error.code
      )
    )
  )
  t.true(errors.includes('E_BLOCK_NOT_FOUND'))
  const lost = names[errors.indexOf('E_BLOCK_NOT_FOUND')]
  await t.throwsAsync(paths.resolve(`${at['shards']}/${lost}/x`), { message: `no link named "${lost}" under ${at['shards']}` })
})

test('names are followed by whoever resolves them, and what comes after a name is kept', async t => {
  const { paths, at } = await world()
  await t.throwsAsync(paths.resolve('/ipns/example.org/sub'), {
    message: "this action must be run in online mode, try running 'ipfs daemon' first"
  })
  paths.addNamespace('ipns', async (_, { recursive }) => (recursive ? `/ipfs/${at['dir']}/sub` : '/ipns/other'))
  const resolved = await paths.resolve('/ipns/example.org/one')
  t.is(resolved.cid.toString(), at['one']!.toString())
  t.is(resolved.path, `/ipfs/${at['dir']}/sub/one`)
  t.is(await paths.follow('/ipns/example.org/one/'), '/ipns/other/one/')
  t.is(await paths.follow(String(at['dir'])), `/ipfs/${at['dir']}`)
  t.throws(() => paths.addNamespace('ipns', async () => ''), { code: 'E_NAMESPACE_TAKEN' })
})

test('a name whose resolver answers another name ends', async t => {
  const { paths } = await world()
  paths.addNamespace('ipns', async name => `/ipns/${name}`)
  await t.throwsAsync(paths.resolve('/ipns/a'), { code: 'E_ACTION_NEEDS_ONLINE' })
})

test('the blocks on the way are fetched even for who works offline', async t => {
  const { blocks, at } = await world()
  const seen: unknown[] = []
  const recording = {
    get(cid: CID, options?: object) {
      seen.push({ ...options, signal: undefined })
      return blocks.get(cid)
    }
  }
  await new ContentPathResolver({ ...sourcesOf(blocks), blocks: recording }).resolve(`${at['dir']}/sub/one`, { offline: true })
  t.deepEqual(seen, [{ signal: undefined }, { signal: undefined }])
})

test('an aborted signal ends the resolution with its reason', async t => {
  const { paths, at } = await world()
  const reason = new Error('enough')
  await t.throwsAsync(paths.resolve(`${at['dir']}/sub/one`, { signal: AbortSignal.abort(reason) }), { message: 'enough' })
})

test('a large block is taken apart for one caller a turn, and for nobody who has left', async t => {
  const blocks = new Blocks()
  const cid = await blocks.add(0x71, dagCbor.encode({ list: new Array(70_000).fill(7) }))
  const sources = sourcesOf(blocks)
  let decoded = 0
  const codec = (code: number): Codec => {
    const known = sources.codecs.codec(code)
    const along = (bytes: Uint8Array, path: readonly string[]) => {
      decoded++
      return known.along!(bytes, path)
    }
    return { ...known, along }
  }
  const leave = new AbortController()
  const { signal } = leave
  const calls = Array.from({ length: 20 }, () =>
    resolveSegments('ipfs', cid, ['list', '5'], { ...sources, codecs: { codec } }, { signal }).then(
      ({ remainder }) => remainder,
      error => error
    )
  )
  while (decoded < 5) {
    const before = decoded
    await new Promise(resolve => setImmediate(resolve))
    t.true(decoded - before <= 1, `${decoded - before} in one turn`)
  }
  const reason = new Error('left')
  leave.abort(reason)
  const results = await Promise.all(calls)
  t.is(decoded, 5)
  t.is(results.filter(result => result === '/list/5').length, 5)
  t.is(results.filter(result => result === reason).length, 15)
})
