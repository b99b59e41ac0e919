/** Files and folders whose nodes say what is not so: every way of reading has one judgement. */
import * as dagPb from '@ipld/dag-pb'
import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { upload } from '../../../host/testing.ts'
import { importCase } from '../../cases/import.ts'
import { unixfs } from '../../core/unixfs/export/blocks.ts'
import { type World, world } from '../gateway/world.ts'
import { bytesOf } from './helpers.ts'

/** What came of each way of reading a file as a whole: its bytes, or why there are none. */
async function ways(at: World, cid: string): Promise<Record<string, string>> {
  const { host } = at
  await host.call('files/cp', { args: [`/ipfs/${cid}`, `/${cid}`] })
  const call = async (path: string, args: readonly string[]) => {
    const { bytes, error } = await bytesOf(Promise.resolve().then(() => host.call(path, { args })))
    return error ?? bytes.toString()
  }
  const get = async (path: string, headers = {}) => {
    const { status, text, isCut } = await at.get(path, headers)
    return isCut ? 'broken off' : status >= 400 ? text.trim() : text
  }
  const tar = await call('get', [cid])
  return {
    cat: await call('cat', [cid]),
    get: tar.length < 1024 ? tar : tar.slice(512, 512 + Number.parseInt(tar.slice(124, 135), 8)),
    mfs: await call('files/read', [`/${cid}`]),
    gateway: await get(`/ipfs/${cid}`),
    range: await get(`/ipfs/${cid}?filename=a.txt`, { range: 'bytes=0-' })
  }
}

/** What came of a CAR by bytes. */
async function carOf(at: World, cid: string): Promise<string> {
  const { status, text, isCut } = await at.get(`/ipfs/${cid}?format=car&dag-scope=entity&entity-bytes=0:*`)
  return isCut ? 'broken off' : status >= 400 ? text.trim() : 'whole'
}

async function refused(t: ExecutionContext, name: string, message: RegExp): Promise<void> {
  const at = await world(t)
  const cid = await importCase(at.host, name)
  for (const [way, came] of Object.entries(await ways(at, cid))) t.regex(came, message, way)
  t.not(await carOf(at, cid), 'whole')
}

test('a file whose leaf has other bytes than its node says is an error that names the leaf, however it is read', t =>
  refused(t, 'liar', /the node bafkrei\w+ of the file has 1100 bytes, and 1024 by the node above it$/))

test('a file whose node does not say how large its parts are is an error that names it, however it is read', t =>
  refused(t, 'no-blocksizes', /the node bafybei\w+ of the file has 2 parts, and says of 0 how large they are$/))

test('a file that says that it has more or fewer bytes than its parts is an error that names it, however it is read', async t => {
  const at = await world(t)
  const leaf = await at.put(Buffer.from('foo'), 0x55)
  for (const size of [2n, 7n]) {
    const Links = [leaf, leaf].map(cid => ({ Name: '', Hash: CID.parse(cid), Tsize: 3 }))
    const cid = await at.put(dagPb.encode(dagPb.prepare({ Data: unixfs({ type: 2, size, sizes: [3n, 3n] }), Links })), 0x70)
    const message = `the node ${cid} of the file says that it has ${size} bytes, and that its parts have 6`
    for (const [way, came] of Object.entries(await ways(at, cid))) t.true(came.endsWith(message), `${way}: ${came}`)
    t.not(await carOf(at, cid), 'whole')
  }
})

test('bytes of a node come before those of its parts, however the file is read, and from wherever', async t => {
  const at = await world(t)
  const cid = await importCase(at.host, 'inner-data')
  const whole = 'own:alpha\nown:alpha\n'
  for (const [way, came] of Object.entries(await ways(at, cid))) t.is(came, whole, way)
  t.is(await carOf(at, cid), 'whole')
  for (let offset = 0n; offset < 20n; offset++) {
    const options = { offset, length: 3n }
    const wanted = whole.slice(Number(offset), Number(offset) + 3)
    t.is((await bytesOf(at.host.call('cat', { args: [cid], options }))).bytes.toString(), wanted)
    t.is((await bytesOf(at.host.call('files/read', { args: [`/${cid}`], options: { offset, count: 3n } }))).bytes.toString(), wanted)
    t.is((await at.get(`/ipfs/${cid}?filename=a.txt`, { range: `bytes=${offset}-${offset + 2n}` })).text, wanted)
  }
  await t.throwsAsync(at.host.call('files/write', { args: [`/${cid}`], body: upload({ f: 'x' }) }), {
    message: /it can be read and replaced, not written into$/
  })
})

test('a CAR of all bytes of a file has the parts without bytes as well', async t => {
  const at = await world(t)
  const empty = await at.put(new Uint8Array(0), 0x55)
  const leaf = await at.put(Buffer.from('foo'), 0x55)
  const node = async (parts: ReadonlyArray<readonly [string, bigint]>) => {
    const sizes = parts.map(([, size]) => size)
    const Links = parts.map(([cid]) => ({ Name: '', Hash: CID.parse(cid), Tsize: 3 }))
    const Data = unixfs({ type: 2, size: sizes.reduce((sum, size) => sum + size, 0n), sizes })
    return at.put(dagPb.encode(dagPb.prepare({ Data, Links })), 0x70)
  }
  const inner = await node([
    [leaf, 3n],
    [empty, 0n]
  ])
  const files = [
    await node([
      [empty, 0n],
      [leaf, 3n]
    ]),
    await node([
      [inner, 3n],
      [leaf, 3n]
    ]),
    await node([
      [leaf, 3n],
      [empty, 0n]
    ]),
    await node([[empty, 0n]])
  ]
  for (const cid of files) {
    const { bytes } = await at.get(`/ipfs/${cid}?format=car&dag-scope=entity&entity-bytes=0:*`)
    t.true(bytes.includes(Buffer.from(CID.parse(empty).bytes)), cid)
  }
})

test('the listing of a shard refuses what a look-up does not find', async t => {
  const at = await world(t)
  const misplaced = await importCase(at.host, 'hamt-wrong-place')
  await at.host.call('files/cp', { args: [`/ipfs/${misplaced}`, `/ipfs-${misplaced}`] })
  const wrong = `the entry 'a.txt' stands in the shard ${misplaced}, where its hash does not lead`
  await t.throwsAsync(at.host.call('ls', { args: [misplaced] }), { message: wrong })
  await t.throwsAsync(at.host.call('files/ls', { args: [`/ipfs-${misplaced}`] }), { message: wrong })
  t.is((await at.get(`/ipfs/${misplaced}/a.txt`)).status, 404)
  for (const path of [`/ipfs/${misplaced}/`, `/ipfs/${misplaced}?format=tar`]) {
    const { status, isCut, text } = await at.get(path)
    t.true(isCut || (status === 500 && text.includes(wrong)), `${path}: ${status} ${text}`)
  }
  await t.throwsAsync(at.host.call('files/stat', { args: [`/ipfs-${misplaced}/a.txt`] }), { message: 'file does not exist' })

  const without = await importCase(at.host, 'hamt-no-bitfield')
  const contradiction = `the shard ${without} has 1 links, and 0 by its bit field`
  await t.throwsAsync(at.host.call('ls', { args: [without] }), { message: contradiction })
  for (const path of [`/ipfs/${without}/a.txt`, `/ipfs/${without}/`, `/ipfs/${without}?format=tar`]) {
    const answer = await at.get(path)
    t.deepEqual([answer.status, answer.text.includes(contradiction)], [500, true], path)
  }
})
