import test from 'ava'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { parseCid } from '../../../core/cid/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { PathCache } from '../../../plugins/gateway/request/path-cache.ts'
import { world } from './world.ts'

const createCid = (bytes: Uint8Array) => CID.createV1(0x55, identity.digest(bytes))
const ROOT = 'bafkqaaa'
const END = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

test('a root is read once, and what is none is never kept', t => {
  const cache = new PathCache()
  let reads = 0
  const parse = (text: string) => {
    reads++
    return parseCid(text)
  }
  t.is(cache.root(ROOT, parse), cache.root(ROOT, parse))
  t.is(reads, 1)
  for (let i = 0; i < 2; i++) t.throws(() => cache.root('none', parse))
  t.is(reads, 3)
  t.is(cache.textOf(cache.root(END.toUpperCase(), parse)), END)
})

test('places are kept with CIDs that hold no block in memory, up to a number, and none that is long', t => {
  const cache = new PathCache()
  const block = new Uint8Array(1 << 16)
  const bytes = parseCid(END).bytes
  block.set(bytes, 100)
  const cid = parseCid(END)
  const view = Object.assign(Object.create(Object.getPrototypeOf(cid)), { ...cid, bytes: block.subarray(100, 100 + bytes.length) })
  const root = parseCid(ROOT)
  const keep = (name: string) => cache.keep(root, [name], { cid: view, roots: [root, view], remainder: '' })
  keep('a')
  const found = cache.place(root, ['a'])!
  t.is(String(found.cid), END)
  t.true(found.cid.bytes.buffer.byteLength < 1000)
  t.is(cache.place(root, ['b']), undefined)
  // the block of a CID that has it in it is as long as it likes
  const inline = createCid(Buffer.alloc(4000))
  cache.keep(root, ['inline'], { cid: inline, roots: [root, inline], remainder: '' })
  t.is(cache.place(root, ['inline']), undefined)
  let reads = 0
  for (let i = 0; i < 2; i++)
    cache.root(String(inline), text => {
      reads++
      return parseCid(text)
    })
  t.is(reads, 2)
  keep('x'.repeat(600))
  t.is(cache.place(root, ['x'.repeat(600)]), undefined)
  for (let i = 0; i < 2000; i++) keep(`${i}`)
  t.is(cache.place(root, ['a']), undefined)
  t.is(cache.place(root, ['975']), undefined)
  t.truthy(cache.place(root, ['976']))
})

test('a path is followed once; what must come from this node alone is looked for every time', async t => {
  const at = await world(t)
  const { root, cids } = await at.add({ 'a/b.txt': 'hello' })
  const first = await at.get(`/ipfs/${root}/a/b.txt`)
  t.like(first, { status: 200, text: 'hello' })
  const again = await at.get(`/ipfs/${root}/a/b.txt`)
  const { date: _, ...fields } = first.headers
  t.like(again, { status: 200, text: 'hello' })
  t.like(again.headers, fields)
  await at.host.call('pin/rm', { args: { ipfsPath: [root] } })
  await itemsOf(await at.host.call('block/rm', { args: { cid: [cids.get('a')!] } }))
  t.is((await at.get(`/ipfs/${root}/a/b.txt`)).status, 200)
  t.is((await at.get(`/ipfs/${root}/a/b.txt`, { 'Cache-Control': 'only-if-cached' })).status, 412)
  t.is((await at.get(`/ipfs/${root}/a/`)).status, 404)
})
