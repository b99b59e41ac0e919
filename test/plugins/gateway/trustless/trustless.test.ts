/** Answers of the gateway that a client can check: blocks, CARs, archives. */
import { createHash } from 'node:crypto'
import * as dagCbor from '@ipld/dag-cbor'
import test from 'ava'
import { importer } from 'ipfs-unixfs-importer'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { extract } from 'tar-stream'
import { readCar } from '../../../../core/car/index.ts'
import { itemsOf, testHost } from '../../../../host/testing.ts'
import { unixfs } from '../../../core/unixfs/export/blocks.ts'
import { folder, gateway } from './node.ts'

async function blocksOf(response: Response): Promise<{ roots: string[]; cids: string[] }> {
  const car = await readCar(response.body as unknown as AsyncIterable<Uint8Array>)
  const cids: string[] = []
  for await (const { cid, bytes } of car.blocks()) {
    const { digest } = await sha256.digest(bytes)
    if (Buffer.compare(digest, cid.multihash.digest) !== 0) throw new Error(`${cid} is another block`)
    cids.push(String(cid))
  }
  return { roots: car.roots.map(String), cids }
}

test('a block is sent as it is, whole or in part, with its conditions', async t => {
  const { get, made, store } = await gateway(t)
  const { file, root, small } = await folder(made)
  await store()
  const bytes = await made.get(file)
  const whole = await get(`/ipfs/${file}?format=raw`)
  t.deepEqual(Buffer.from(await whole.arrayBuffer()), Buffer.from(bytes))
  t.like(Object.fromEntries(whole.headers), {
    'content-type': 'application/vnd.ipld.raw',
    'content-length': String(bytes.length),
    'content-disposition': `attachment; filename="${file}.bin"; filename*=UTF-8''${file}.bin`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=29030400, immutable',
    'accept-ranges': 'bytes',
    etag: `"${file}.raw"`,
    'x-ipfs-roots': String(file),
    'x-ipfs-path': `/ipfs/${file}`
  })
  const accept = { accept: 'application/vnd.ipld.raw' }
  for (const [range, status, from, to] of [
    ['bytes=0-4', 206, 0, 5],
    ['bytes=5-', 206, 5, bytes.length],
    ['bytes=-7', 206, bytes.length - 7, bytes.length],
    ['bytes=0-999999', 206, 0, bytes.length]
  ] as const) {
    const part = await get(`/ipfs/${file}`, { headers: { ...accept, range } })
    t.is(part.status, status, range)
    t.is(part.headers.get('content-range'), `bytes ${from}-${to - 1}/${bytes.length}`)
    t.deepEqual(Buffer.from(await part.arrayBuffer()), Buffer.from(bytes.subarray(from, to)))
  }
  const beyond = await get(`/ipfs/${file}?format=raw`, { headers: { range: 'bytes=99999-' } })
  t.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${bytes.length}`])
  const known = await get(`/ipfs/${file}?format=raw`, { headers: { 'if-none-match': `W/"${file}.raw"` } })
  t.deepEqual([known.status, known.headers.get('etag'), await known.text()], [304, `"${file}.raw"`, ''])
  const head = await get(`/ipfs/${root}/inner/small?format=raw`, { method: 'HEAD' })
  t.deepEqual([head.status, head.headers.get('content-length'), head.headers.get('etag')], [200, '6', `"${small}.raw"`])
  t.is((await get(`/ipfs/${CID.createV1(0x55, await sha256.digest(Buffer.from('absent')))}?format=raw`)).status, 404)
  t.is((await get(`/ipfs/${root}/none?format=raw`)).status, 404)
})

test('a CAR has the way to what a path leads to, and of that as much as its scope says', async t => {
  const { get, made, store } = await gateway(t)
  const { root, inner, file, leaves, small } = await folder(made)
  await store()
  const [r, i, f, s] = [root, inner, file, small].map(String)
  const l = leaves.map(String)
  const cases: ReadonlyArray<readonly [query: string, cids: readonly (string | undefined)[]]> = [
    [`/ipfs/${root}?format=car`, [r, i, f, ...l, s]],
    [`/ipfs/${root}?format=car&car-dups=y`, [r, i, f, ...l, s, s]],
    [`/ipfs/${root}?format=car&dag-scope=entity`, [r]],
    [`/ipfs/${root}/inner?format=car&dag-scope=block`, [r, i]],
    [`/ipfs/${root}/inner/large?format=car`, [r, i, f, ...l]],
    [`/ipfs/${root}/inner/large?format=car&dag-scope=entity&entity-bytes=30000:59999`, [r, i, f, l[1]]],
    [`/ipfs/${root}/inner/large?format=car&dag-scope=entity&entity-bytes=-1:*`, [r, i, f, l[2]]],
    [`/ipfs/${root}/inner/large?format=car&dag-scope=entity&entity-bytes=29999:-30001`, [r, i, f, l[0], l[1]]],
    [`/ipfs/${root}/inner/large?format=car&dag-scope=entity&entity-bytes=90000:*`, [r, i, f]],
    [`/ipfs/${root}/inner/none?format=car`, [r, i]]
  ]
  for (const [query, wanted] of cases) {
    const response = await get(query)
    t.is(response.status, 200, query)
    t.deepEqual((await blocksOf(response)).cids, wanted.map(String), query)
  }
  const { headers } = await get(`/ipfs/${root}/inner?format=car`, { headers: { accept: 'application/vnd.ipld.car; order=unk; dups=y' } })
  t.like(Object.fromEntries(headers), {
    'content-type': 'application/vnd.ipld.car; version=1; order=unk; dups=y',
    'accept-ranges': 'none',
    'content-disposition': `attachment; filename="${root}_inner.car"; filename*=UTF-8''${root}_inner.car`,
    'x-ipfs-roots': `${root},${inner}`
  })
  const known = await get(`/ipfs/${root}/inner?format=car&car-order=unk&car-dups=y`, { headers: { 'if-none-match': headers.get('etag')! } })
  t.is(known.status, 304)
  for (const [query, text] of [
    ['dag-scope=all&car-version=2', 'unsupported application/vnd.ipld.car version: only version=1 is supported\n'],
    ['dag-scope=some', 'unsupported application/vnd.ipld.car dag-scope URL parameter: "some"\n'],
    ['car-order=bfs', 'unsupported application/vnd.ipld.car content type order parameter: "bfs"\n'],
    ['car-dups=x', 'unsupported application/vnd.ipld.car content type dups parameter: "x"\n']
  ]) {
    const refused = await get(`/ipfs/${root}?format=car&${query}`)
    t.deepEqual([refused.status, await refused.text()], [400, text!])
  }
})

test('bytes of a file are in a CAR although blocks of the rest are nowhere; one that lacks a block breaks off', async t => {
  const { get, made, store } = await gateway(t)
  const { file, leaves, root } = await folder(made)
  made.delete(leaves[2]!)
  await store()
  const some = await get(`/ipfs/${file}?format=car&dag-scope=entity&entity-bytes=0:59999`)
  t.deepEqual((await blocksOf(some)).cids, [file, leaves[0], leaves[1]].map(String))
  // reset, so that nobody takes what came for the whole: perhaps before the client has read the head
  await t.throwsAsync(async () => (await get(`/ipfs/${root}?format=car`)).arrayBuffer())
})

test('of a sharded directory the shards on the way are in a CAR, and all of them where it is the entity', async t => {
  const { get, blocks } = await gateway(t)
  const source = Array.from({ length: 300 }, (_, i) => ({ path: `wide/file-${i}`, content: Buffer.from(`content ${i}`) }))
  let root: CID | undefined
  const store = {
    async put(cid: CID, bytes: Uint8Array) {
      await blocks.put(cid, bytes)
      return cid
    }
  }
  for await (const { cid } of importer(source, store as never, { shardSplitThresholdBytes: 1, rawLeaves: true })) root = cid
  const everything = (await blocksOf(await get(`/ipfs/${root}?format=car`))).cids
  const entity = (await blocksOf(await get(`/ipfs/${root}?format=car&dag-scope=entity`))).cids
  const shards = everything.filter(cid => CID.parse(cid).code === 0x70)
  t.true(shards.length > 1)
  t.deepEqual(entity, shards)
  const { cids, roots } = await blocksOf(await get(`/ipfs/${root}/file-17?format=car`))
  t.is(cids[0], String(root))
  t.is(cids.at(-1), roots[0])
  t.true(cids.length >= 2 && cids.length <= 4)
  t.true(cids.slice(0, -1).every(cid => shards.includes(cid)))
})

test('a CAR of the gateway is imported under the same CID', async t => {
  const { get, made, store } = await gateway(t)
  const { root, content } = await folder(made)
  await store()
  const car = new Uint8Array(await (await get(`/ipfs/${root}?format=car`)).arrayBuffer())
  const other = await testHost()
  t.teardown(() => other.stop())
  const part = {
    path: '/x.car',
    kind: 'file' as const,
    headers: {},
    async *bytes() {
      yield car
    }
  }
  const body = (async function* () {
    yield part
  })()
  const items = await itemsOf<{ Root?: { Cid: { '/': string } } }>(await other.call('dag/import', { body }))
  t.deepEqual(
    items.flatMap(({ Root }) => (Root === undefined ? [] : [Root.Cid['/']])),
    [String(root)]
  )
  const read = Buffer.concat(await itemsOf<Uint8Array>(await other.call('cat', { args: [`/ipfs/${root}/inner/large`] })))
  t.deepEqual(read, Buffer.from(content))
})

test('an archive has all of a folder under its CID; what would leave it, and what is no file, is refused', async t => {
  const { get, made, store } = await gateway(t)
  const { root, content, small } = await folder(made)
  const outside = await made.pb(unixfs({ type: 1 }), [['../../escaped', small, 6]])
  const inside = await made.pb(unixfs({ type: 1 }), [['a/../b', small, 6]])
  const data = await made.add(dagCbor.code, dagCbor.encode({ a: 1 }))
  await store()
  const names = async (path: string) => {
    const tar = extract()
    const found: Array<[string, string]> = []
    const response = await get(path)
    tar.end(Buffer.from(await response.arrayBuffer()))
    for await (const entry of tar) {
      const hash = createHash('sha256')
      for await (const piece of entry) hash.update(piece as Uint8Array)
      found.push([entry.header.name, hash.digest('hex')])
    }
    return { found, headers: Object.fromEntries(response.headers) }
  }
  const of = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
  const { found, headers } = await names(`/ipfs/${root}?format=tar`)
  t.deepEqual(found, [
    [`${root}`, of('')],
    [`${root}/inner`, of('')],
    [`${root}/inner/large`, of(content)],
    [`${root}/inner/small`, of('small\n')],
    [`${root}/other`, of('small\n')]
  ])
  t.like(headers, {
    'content-type': 'application/x-tar',
    etag: `W/"${root}.x-tar"`,
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename="${root}.tar"; filename*=UTF-8''${root}.tar`
  })
  t.deepEqual(
    (await names(`/ipfs/${inside}?format=tar`)).found.map(([name]) => name),
    [`${inside}`, `${inside}/b`]
  )
  const escaping = await get(`/ipfs/${outside}?format=tar`)
  t.is(escaping.status, 500)
  t.regex(await escaping.text(), /relative UnixFS paths outside the root are now allowed, use CAR instead/)
  const none = await get(`/ipfs/${data}?format=tar`)
  t.is(none.status, 406)
  t.regex(await none.text(), /is no file and no folder/)
})
