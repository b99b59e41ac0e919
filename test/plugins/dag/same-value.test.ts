/** What is read of a node and put again is the same node, or is refused. */
import test from 'ava'
import { NodeError } from '../../../core/index.ts'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'
import { importCase } from '../../cases/import.ts'
import { bytesOf } from '../content/helpers.ts'

async function setUp(t: { teardown(fn: () => Promise<unknown>): void }) {
  const host = await testHost()
  t.teardown(() => host.stop())
  return {
    host,
    get: (cid: string, outputCodec = 'dag-json') => bytesOf(host.call('dag/get', { args: [cid], options: { outputCodec } })),
    async put(bytes: Uint8Array, options: Record<string, string> = {}) {
      const [item] = await itemsOf<{ Cid: { '/': string } }>(await host.call('dag/put', { body: upload(bytes), options }))
      return item!.Cid['/']
    }
  }
}

test('numbers of dag-cbor keep their type by way of dag-json', async t => {
  const { host, get, put } = await setUp(t)
  const cid = await importCase(host, 'cbor-numbers')
  const { bytes } = await get(cid)
  t.is(bytes.toString(), '{"f":1.0,"i":1,"u":18446744073709551615}')
  t.is(await put(bytes), cid)
  for (const inputCodec of ['dag-cbor', 'dag-json']) t.is(await put((await get(cid, inputCodec)).bytes, { inputCodec }), cid, inputCodec)
})

for (const [what, block] of [
  ['the largest integer', '1bffffffffffffffff'],
  ['the smallest integer', '3b7fffffffffffffff'],
  ['a float without a fraction', 'fb3ff0000000000000'],
  ['a float of 2^70', 'fb4450000000000000'],
  ['a zero below zero', 'fb8000000000000000'],
  ['the smallest float', 'fb0000000000000001']
] as const)
  test(`${what} alone is put again under the same CID`, async t => {
    const { get, put } = await setUp(t)
    const cid = await put(Buffer.from(block, 'hex'), { inputCodec: 'dag-cbor' })
    t.is(await put((await get(cid)).bytes), cid)
    t.is(await put((await get(cid, 'dag-cbor')).bytes, { inputCodec: 'dag-cbor' }), cid)
  })

test('what one of the codecs cannot say is refused, and nothing is stored in its place', async t => {
  const { get, put } = await setUp(t)
  const broken = await put(Buffer.from('63ff61ff', 'hex'), { inputCodec: 'dag-cbor' })
  t.like(await get(broken), { error: 'a string of the value is no UTF-8, and JSON has no way to write it' })
  t.is(await put((await get(broken, 'dag-cbor')).bytes, { inputCodec: 'dag-cbor' }), broken)
  for (const text of ['"\\ud800"', '{"\\udfff":1}', '123456789012345678901234567890.5', '1e-400', '18446744073709551616'])
    await t.throwsAsync(put(Buffer.from(text)), { instanceOf: NodeError }, text)
})

test('a map that dag-json would read as a link or as bytes is refused, and one that it reads as a map is not', async t => {
  const { get, put } = await setUp(t)
  // {"/": "x"}, {"/": {"bytes": "aaaa"}}, [{"/": ""}]
  for (const block of ['a1612f6178', 'a1612fa16562797465736461616161', '81a1612f60']) {
    const cid = await put(Buffer.from(block, 'hex'), { inputCodec: 'dag-cbor' })
    t.like(await get(cid), { error: 'a map of the value is {"/": …}, which dag-json has for links and bytes' })
    t.is(await put((await get(cid, 'dag-cbor')).bytes, { inputCodec: 'dag-cbor' }), cid)
  }
  for (const block of ['a1612f01', 'a2612f61786161f6', 'a1612fa1656279746573f6', 'a1612fa0', 'a1612f81f6']) {
    const cid = await put(Buffer.from(block, 'hex'), { inputCodec: 'dag-cbor' })
    t.is(await put((await get(cid)).bytes), cid, block)
  }
})

for (const [what, block, told] of [
  ['a tag on a string', 'a16174d901026161', 'the tag 258 of CBOR has no place in the data model, and would be left out'],
  ['a tag on a list', 'd9010280', 'the tag 258 of CBOR has no place in the data model, and would be left out'],
  ['a tag on a key', 'a1c1616101', 'the tag 1 of CBOR has no place in the data model, and would be left out'],
  ['undefined', '81f7', '`undefined` of CBOR has no place in the data model, and would be read as null']
] as const)
  test(`${what} of dag-cbor is neither left out of what is read nor of what is put, and the block is there as it is`, async t => {
    const { host, get, put } = await setUp(t)
    const bytes = Buffer.from(block, 'hex')
    const [stored] = await itemsOf<{ Key: string }>(
      await host.call('block/put', { body: upload(bytes), options: { cidCodec: 'dag-cbor' } })
    )
    const { Key } = stored!
    for (const codec of ['dag-json', 'dag-cbor']) {
      const read = await get(Key, codec).catch((error: Error) => ({ error: error.message }))
      t.like(read, { error: told }, codec)
    }
    await t.throwsAsync(put(bytes, { inputCodec: 'dag-cbor' }), { code: 'E_CBOR_LOSS' })
    t.deepEqual((await bytesOf(host.call('block/get', { args: [Key] }))).bytes, bytes)
  })

test('the tag that says that what follows is CBOR is left out, as it says nothing else', async t => {
  const { get, put } = await setUp(t)
  t.is((await get(await put(Buffer.from('d9d9f7a0', 'hex'), { inputCodec: 'dag-cbor' }))).bytes.toString(), '{}')
})
