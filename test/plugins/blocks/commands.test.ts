import test from 'ava'
import { Pins, ready } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { blockHost, get, put, type Stat, upload } from './host.ts'

/** Vectors: Kubo's own tests, t0050 and t0800. */
const MARS = 'bafkreibmlvvgdyihetgocpof6xk64kjjzdeq2e4c7hqs3krdheosk4tgj4'
const MARS_V0 = 'QmRKqGMAM6EZngbpjSqrvYzq5Qd8b1bSWymjSUY9zQSNDk'
const HELLO = 'Hello Mars!\n'
const NOBODY_HAS = 'QmPZ9gcCEpqKTo6aq61g2nXGUhM4iCL3ewB6LDXZCtioEB'

interface Removed {
  Hash?: string
  Error?: string
}

test('a block that was put is there under its CID, and under every other CID of its multihash', async t => {
  const { host } = await blockHost(t)
  t.is(await put(host, HELLO), MARS)
  t.is((await get(host, MARS)).toString(), HELLO)
  t.is((await get(host, MARS_V0)).toString(), HELLO)
  t.deepEqual(await host.call('block/stat', { args: [MARS_V0] }), { Key: MARS_V0, Size: 12 })
})

test('the CID is made of the codec, the hash function and the digest length that were asked for', async t => {
  const { host } = await blockHost(t)
  t.is(await put(host, HELLO, { format: 'v0' }), MARS_V0)
  t.is(await put(host, 'foooo\n', { mhtype: 'sha3', mhlen: 20 }), 'bafkrifctrq4xazzixy2v4ezymjcvzpskqdwlxra')
  t.is(await put(host, 'foo\n', { mhtype: 'blake3' }), 'bafkr4icj3sdq34o6p7lapfgoxtset5om3lsxll72uz5cjnrkzmb6aoo3si')
  t.is(await put(host, HELLO, { cidCodec: 'dag-cbor' }), await put(host, HELLO, { format: 'cbor' }))
  t.is(await put(host, HELLO, { cidCodec: 'dag-pb' }), await put(host, HELLO, { format: 'protobuf' }))
})

test('options that no block could be put with are refused', async t => {
  const { host } = await blockHost(t)
  const refused: Array<[options: Record<string, unknown>, message: string]> = [
    [{ mhtype: 'SHA2-256' }, 'unrecognized multihash function: SHA2-256'],
    [{ cidCodec: 'nope' }, 'unknown multicodec: "nope"'],
    [{ format: 'nope' }, 'unknown multicodec: "nope"'],
    [{ format: 'cbor', cidCodec: 'dag-cbor' }, 'unable to use "format" (deprecated) and a custom "cid-codec" at the same time'],
    [{ format: 'v0', mhtype: 'sha2-512' }, 'only sha2-255-32 is allowed with CIDv0'],
    [{ mhtype: 'md5' }, 'potentially insecure hash functions not allowed'],
    [{ mhlen: 19 }, 'hashes must be at least 20 bytes long'],
    [{ mhlen: 33 }, 'invalid cid: requested length was too large for digest'],
    [{ mhtype: 'x11' }, 'invalid cid: unknown multihash code 4352 (0x1100): no such hash registered']
  ]
  for (const [options, message] of refused) await t.throwsAsync(put(host, HELLO, options), { message })
})

test('each part is a block; a folder, or what lies in one, ends it with an error', async t => {
  const { host } = await blockHost(t)
  const three = await itemsUntilError<Stat>(
    host.call('block/put', { body: upload({ data: 'a' }, { data: 'bb' }, { data: 'c', kind: 'symlink' }) })
  )
  t.deepEqual(
    three.items.map(({ Size }) => Size),
    [1, 2, 1]
  )
  for (const bad of [{ kind: 'directory' as const }, { path: '/d/f' }]) {
    const { items, error } = await itemsUntilError<Stat>(host.call('block/put', { body: upload({ data: 'a' }, bad, { data: 'b' }) }))
    t.is(items.length, 1)
    t.is(error, 'expected a file')
  }
  t.deepEqual(await itemsUntilError(host.call('block/put', { body: upload() })), { items: [], error: undefined })
})

test('a block of more than 1 MiB is refused unless it is allowed, but has been stored', async t => {
  const { host } = await blockHost(t)
  const big = new Uint8Array(1_048_577).fill(7)
  await t.throwsAsync(put(host, big), { message: /^produced block is over 1MiB/ })
  const cid = await put(host, big, { allowBigBlock: true })
  t.deepEqual(await get(host, cid), Buffer.from(big))
  await t.notThrowsAsync(put(host, big.subarray(1)))
})

test('a block of more bytes than the node takes is refused before they are all in memory', async t => {
  const { host } = await blockHost(t, { settings: { maxBlockSize: 2_000_000 } })
  let taken = 0
  async function* endless() {
    for (;;) {
      taken += 100_000
      yield new Uint8Array(100_000)
    }
  }
  async function* body() {
    yield { path: '/f', kind: 'file' as const, headers: {}, bytes: endless }
  }
  const { error } = await itemsUntilError(host.call('block/put', { body: body(), options: { allowBigBlock: true } }))
  t.is(error, 'block/put: a block has more than 2000000 bytes, the most that this node takes (plugins.blocks.maxBlockSize)')
  t.true(taken < 3_000_000)
})

test('a block is pinned when that is asked for', async t => {
  const { host, pins } = await blockHost(t)
  t.is(await put(host, HELLO, { pin: true }), MARS)
  await put(host, 'not pinned')
  t.deepEqual(pins.added, [MARS])
})

test('an identity CID holds its block itself: it is there, has a size, and can be removed again and again', async t => {
  const { host } = await blockHost(t)
  t.is(await put(host, 'foo\n', { mhtype: 'identity', mhlen: 1 }), 'bafkqabdgn5xqu')
  t.is((await get(host, 'bafkqabtimvwgy3yk')).toString(), 'hello\n')
  t.deepEqual(await host.call('block/stat', { args: ['bafkqaaa'] }), { Key: 'bafkqaaa', Size: 0 })
  const { items } = await itemsUntilError<Removed>(host.call('block/rm', { args: ['bafkqaaa', 'bafkqaaa'] }))
  t.deepEqual(items, [{ Hash: 'bafkqaaa' }, { Hash: 'bafkqaaa' }])
})

test('block/get and block/stat say of a block that is not there that it is not', async t => {
  const { host } = await blockHost(t)
  const message = `block was not found locally (offline): ipld: could not find ${NOBODY_HAS}`
  await t.throwsAsync(get(host, NOBODY_HAS), { message, code: 'E_BLOCK_NOT_FOUND' })
  await t.throwsAsync(host.call('block/stat', { args: [NOBODY_HAS] }) as Promise<unknown>, { message })
})

test('block/rm removes each block, and says of each that is not there', async t => {
  const { host } = await blockHost(t)
  await put(host, HELLO)
  const missing = { Hash: NOBODY_HAS, Error: `ipld: could not find ${NOBODY_HAS}` }
  const first = await itemsUntilError<Removed>(host.call('block/rm', { args: [MARS, NOBODY_HAS, MARS] }))
  t.deepEqual(first.items, [{ Hash: MARS }, missing, { Hash: MARS, Error: `ipld: could not find ${MARS}` }])
  const forced = await itemsUntilError<Removed>(host.call('block/rm', { args: [NOBODY_HAS], options: { force: true } }))
  t.deepEqual(forced.items, [{ Hash: NOBODY_HAS }])
  await put(host, HELLO)
  const quiet = await itemsUntilError<Removed>(host.call('block/rm', { args: [MARS, NOBODY_HAS], options: { quiet: true } }))
  t.deepEqual(quiet.items, [missing])
})

test('block/rm keeps what is pinned, by force or not, and says how it is', async t => {
  const { host, pins } = await blockHost(t)
  const cids = [await put(host, 'one'), await put(host, 'two'), await put(host, 'three')] as const
  pins.reasons.set(cids[0], { mode: 'recursive', name: '' })
  pins.reasons.set(cids[1], { mode: 'direct', name: '' })
  const { CID } = await import('multiformats/cid')
  pins.reasons.set(cids[2], { mode: 'indirect', name: '', through: CID.parse(cids[0]) })
  const { items } = await itemsUntilError<Removed>(host.call('block/rm', { args: [...cids], options: { force: true } }))
  t.deepEqual(items, [
    { Hash: cids[0], Error: 'pinned: recursive' },
    { Hash: cids[1], Error: 'pinned: direct' },
    { Hash: cids[2], Error: `pinned via ${cids[0]}` }
  ])
  t.is(pins.asked, 1, 'all are looked up together')
  for (const cid of cids) await t.notThrowsAsync(get(host, cid))
})

test('block/rm warns of what it removes, so that no interrupted pin counts on it', async t => {
  const { host, pins } = await blockHost(t)
  const cid = await put(host, 'one')
  t.is(pins.forgotten, 0)
  const { items } = await itemsUntilError(host.call('block/rm', { args: [cid] }))
  t.deepEqual(items, [{ Hash: cid }])
  t.is(pins.forgotten, 1)
})

test('block/rm removes nothing when it cannot know what is pinned', async t => {
  const { host, pins } = await blockHost(t)
  await put(host, HELLO)
  pins.broken = new Error('a root is missing')
  const { items } = await itemsUntilError<Removed>(host.call('block/rm', { args: [MARS] }))
  t.deepEqual(items, [{ Hash: MARS, Error: 'pin check failed: a root is missing' }])
  t.is((await get(host, MARS)).toString(), HELLO)
})

test('block/rm answers what came before an argument that is none, then ends with its error', async t => {
  const { host } = await blockHost(t)
  await put(host, HELLO)
  const { items, error } = await itemsUntilError<Removed>(host.call('block/rm', { args: [MARS, 'nope', MARS] }))
  t.deepEqual(items, [{ Hash: MARS }])
  t.is(error, 'invalid path "nope": path does not have enough components')
})

test('block/* take a path for a CID', async t => {
  const { host } = await blockHost(t)
  const link = await put(host, HELLO)
  const node = await put(host, JSON.stringify({ mars: { '/': link } }), { cidCodec: 'dag-json' })
  t.is((await get(host, `/ipfs/${node}/mars`)).toString(), HELLO)
  t.deepEqual(await host.call('block/stat', { args: [`${node}/mars`] }), { Key: link, Size: 12 })
  const { items } = await itemsUntilError<Removed>(host.call('block/rm', { args: [`/ipld/${node}/mars`] }))
  t.deepEqual(items, [{ Hash: link }])
})

test('without a plugin for pins, block/put says so when it is to pin, and block/rm does not look', async t => {
  const host = await testHost({ services: [ready(Pins, undefined as never)] })
  t.teardown(() => host.stop())
  await put(host, HELLO)
  await t.throwsAsync(put(host, HELLO, { pin: true }), { message: /needs the plugin 'pins', which is not loaded/ })
  const { items } = await itemsUntilError<Removed>(host.call('block/rm', { args: [MARS] }))
  t.deepEqual(items, [{ Hash: MARS }])
})
