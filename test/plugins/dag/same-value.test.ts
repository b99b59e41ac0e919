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
