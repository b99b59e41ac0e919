import test from 'ava'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { writePb } from '../../../core/dag/index.ts'
import { type BlockOptions, Blocks, type Mfs, Mfs as MfsToken } from '../../../core/index.ts'
import { NO_NAME } from '../../../core/unixfs/index.ts'
import { testHost } from '../../../host/testing.ts'
import { varint } from '../../core/cid/encoded-varint.ts'
import { dataOf, newTree, treeOf } from './helpers.ts'

const GiB = 2 ** 30

test('writes at any offset, gaps and truncation leave the bytes that they should, in files of every layout', async t => {
  const tree = await newTree(t)
  const source = Buffer.from(Array.from({ length: 900_000 }, (_, i) => (i * 31 + (i >> 8)) & 255))
  for (const [name, options] of [
    ['balanced', { chunker: 'size-1000' }],
    ['trickle', { chunker: 'size-1000', trickle: true }],
    ['raw', { chunker: 'size-1000', cidVersion: 1 }],
    ['deep', { chunker: 'size-4' }]
  ] as const) {
    const expected = Buffer.from(source.subarray(0, name === 'deep' ? 4000 : source.length))
    let hash = ''
    for await (const { Hash } of (await tree.host.call('add', { body: dataOf(expected), options })) as AsyncIterable<{ Hash?: string }>)
      hash = Hash ?? hash
    await tree.call('files/cp', [`/ipfs/${hash}`, `/${name}`])
    for (const [offset, length] of [
      [0, 1],
      [999, 2],
      [1500, 2400],
      [expected.length - 3, 3]
    ] as const) {
      const bytes = Buffer.alloc(length, offset & 255)
      bytes.copy(expected, offset)
      await tree.write(`/${name}`, bytes, { offset: BigInt(offset) })
    }
    t.is(await tree.read(`/${name}`), expected.toString('latin1'), name)
    const tail = Buffer.alloc(300_000, 7)
    await tree.write(`/${name}`, tail, { offset: BigInt(expected.length + 5000) })
    const whole = Buffer.concat([expected, Buffer.alloc(5000), tail])
    t.is(await tree.read(`/${name}`), whole.toString('latin1'), `${name}, longer`)
    t.is(await tree.read(`/${name}`, { offset: 3990n, count: 30n }), whole.toString('latin1', 3990, 4020), name)
    await tree.write(`/${name}`, 'short', { truncate: true })
    t.is(await tree.read(`/${name}`), 'short', `${name}, cut`)
  }
})

test('a file of many megabytes that is written at once, and one that is written a little at a time, read the same', async t => {
  const tree = await newTree(t)
  const bytes = Buffer.from(Array.from({ length: 6_500_000 }, (_, i) => (i ^ (i >> 11)) & 255))
  await tree.write('/once', bytes)
  for (let at = 0; at < bytes.length; at += 1_300_000)
    await tree.write('/often', bytes.subarray(at, at + 1_300_000), { offset: BigInt(at), flush: false })
  t.is(await tree.read('/once'), bytes.toString('latin1'))
  t.is(await tree.read('/often'), bytes.toString('latin1'))
})

test('a write into the middle of 10 GiB reads and stores only the nodes on its way', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = treeOf(host)
  const blocks = host.service(Blocks)!
  const root = await largeFile(blocks)
  await tree.call('files/cp', [`/ipfs/${root}`, '/large'])
  const touched = watch(blocks)
  await tree.write('/large', 'x'.repeat(1024), { offset: BigInt(5 * GiB + 12_345) })
  const { read, stored } = touched()
  t.true(read.size <= 4, `${read.size} blocks were read`)
  t.true(stored <= 4, `${stored} blocks were stored`)
  t.is(await tree.read('/large', { offset: BigInt(5 * GiB + 12_344), count: 1026n }), `\0${'x'.repeat(1024)}\0`)
  t.is((await tree.stat('/large')).Size, BigInt(10 * GiB))
})

test('a gap beyond the limit is refused before anything is written', async t => {
  const tree = await newTree(t, { mfs: { maxGap: 100_000 } })
  await tree.write('/f', 'start')
  await tree.write('/f', 'end', { offset: 100_005n })
  t.is((await tree.stat('/f')).Size, 100_008n)
  const error = await t.throwsAsync(tree.write('/f', 'far', { offset: 2n ** 62n }))
  t.regex(error!.message, /more than 100000 \(plugins\.mfs\.maxGap\)/)
  t.is((await tree.stat('/f')).Size, 100_008n)
})

test('who writes one file waits neither for who writes another nor for who reads', async t => {
  const tree = await newTree(t)
  await tree.write('/slow', 'before')
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const mfs = tree.host.service(MfsToken) as Mfs
  const slow = mfs.write(
    '/slow',
    (async function* () {
      yield Buffer.from('af')
      begun.resolve()
      await gate.promise
      yield Buffer.from('ter!')
    })()
  )
  await begun.promise
  await tree.write('/other', 'done meanwhile')
  t.is(await tree.read('/other'), 'done meanwhile')
  t.is(await tree.read('/slow'), 'before')
  gate.resolve()
  await slow
  t.is(await tree.read('/slow'), 'after!')
})

test('writers of one file come one after the other, and each byte of both is there', async t => {
  const tree = await newTree(t)
  await tree.write('/f', '')
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      tree.write('/f', String.fromCharCode(97 + i).repeat(3), { offset: BigInt(3 * i), flush: i % 3 === 0 })
    )
  )
  t.is(await tree.read('/f'), Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i).repeat(3)).join(''))
})

test('an upload that breaks off leaves the file as it was, and none where there was none', async t => {
  const tree = await newTree(t)
  await tree.write('/f', 'as it was')
  const mfs = tree.host.service(MfsToken) as Mfs
  const leaving = new AbortController()
  const broken = async function* () {
    yield Buffer.alloc(3_000_000)
    leaving.abort(new Error('the client left'))
    throw new Error('the client left')
  }
  await t.throwsAsync(mfs.write('/f', broken(), { truncate: true, signal: leaving.signal }), { message: 'the client left' })
  const second = new AbortController()
  await t.throwsAsync(
    mfs.write(
      '/new',
      (async function* () {
        yield Buffer.from('half')
        second.abort(new Error('the client left'))
        throw new Error('the client left')
      })(),
      { create: true, signal: second.signal }
    ),
    { message: 'the client left' }
  )
  t.is(await tree.read('/f'), 'as it was')
  t.deepEqual(await tree.names('/'), ['f'])
})

test('a file that is removed while it is written is not made again, unless the caller said that it may be', async t => {
  const tree = await newTree(t)
  const mfs = tree.host.service(MfsToken) as Mfs
  const meanwhile = (path: string) =>
    (async function* () {
      yield Buffer.from('x')
      await mfs.remove(path)
    })()
  await tree.write('/a', '')
  await t.throwsAsync(mfs.write('/a', meanwhile('/a')), { message: 'file does not exist' })
  await tree.write('/b', '')
  await mfs.write('/b', meanwhile('/b'), { create: true })
  t.deepEqual(await tree.names('/'), ['b'])
})

test('a file whose nodes lie about their children is an error, not a wrong answer', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const tree = treeOf(host)
  const blocks = host.service(Blocks)!
  const leaf = await put(blocks, 0x55, Buffer.from('four'))
  for (const [i, shares] of [[10], [2n ** 60n], [4, 4], []].entries()) {
    const root = await put(blocks, 0x70, writePb([{ cid: leaf.bytes, name: NO_NAME, size: 4 }], unixfsOf(shares.map(BigInt))))
    await tree.call('files/cp', [`/ipfs/${root}`, `/lies${i}`])
    await t.throwsAsync(tree.write(`/lies${i}`, 'abcdefgh', { offset: 1n }), {
      message: /how large each of its children is|says that it has/
    })
  }
})

/** 10 GiB of zeros: 40,960 leaves, all the same block, below three levels of nodes. */
async function largeFile(blocks: Blocks): Promise<CID> {
  let cid = await put(blocks, 0x55, new Uint8Array(262_144))
  let size = 262_144
  for (const width of [160, 16, 16]) {
    const links = Array.from({ length: width }, () => ({ cid: cid.bytes, name: NO_NAME, size }))
    cid = await put(blocks, 0x70, writePb(links, unixfsOf(Array.from({ length: width }, () => BigInt(size)))))
    size *= width
  }
  return cid
}

function unixfsOf(shares: readonly bigint[]): Uint8Array {
  const sum = shares.reduce((all, share) => all + share, 0n)
  return Uint8Array.from([0x08, 0x02, 0x18, ...varint(sum), ...shares.flatMap(share => [0x20, ...varint(share)])])
}

async function put(blocks: Blocks, codec: number, bytes: Uint8Array): Promise<CID> {
  const cid = CID.createV1(codec, await sha256.digest(bytes))
  await blocks.put(cid, bytes)
  return cid
}

/** Counts what is asked of a service from here on. */
function watch(blocks: Blocks): () => { read: Set<string>; stored: number } {
  const read = new Set<string>()
  let stored = 0
  const { get, putAll } = blocks
  blocks.get = (cid: CID, options?: BlockOptions) => {
    read.add(cid.toString())
    return get.call(blocks, cid, options)
  }
  blocks.putAll = (list, options) => {
    stored += list.length
    return putAll.call(blocks, list, options)
  }
  return () => ({ read: new Set(read), stored })
}
