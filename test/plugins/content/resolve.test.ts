import * as dagCbor from '@ipld/dag-cbor'
import test from 'ava'
import { base36 } from 'multiformats/bases/base36'
import { PathResolver } from '../../../core/index.ts'
import { contentHost } from './helpers.ts'

test('resolve answers the last block and what is left inside it', async t => {
  const { host, blocks, at } = await contentHost(t)
  const cbor = await blocks.add(0x71, dagCbor.encode({ a: [1], folder: at.folder }))
  const of = async (name: string, options = {}) => ((await host.call('resolve', { args: [name], options })) as { Path: string }).Path
  t.is(await of(`/ipfs/${at.folder}/sub/again`), `/ipfs/${at.text}`)
  t.is(await of(`${cbor}/a/0`), `/ipfs/${cbor}/a/0`)
  t.is(await of(`/ipld/${cbor}/folder/Links/0/Name`), `/ipld/${at.folder}/Links/0/Name`)
})

test('resolve writes a CID in the base of the path, unless another is asked for', async t => {
  const { host, at } = await contentHost(t)
  const of = async (name: string, options = {}) => ((await host.call('resolve', { args: [name], options })) as { Path: string }).Path
  t.is(await of(`${at.folder.toString(base36)}/text`), `/ipfs/${at.text.toString(base36)}`)
  t.is(await of(`/ipfs/${at.folder}/text`, { cidBase: 'base36' }), `/ipfs/${at.text.toString(base36)}`)
  t.is(await of('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'), '/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  await t.throwsAsync(of(String(at.text), { cidBase: 'nope' }), { message: 'unsupported multibase encoding: nope' })
})

test('resolve follows names all the way, or one step', async t => {
  const { host, at } = await contentHost(t)
  const asked: unknown[] = []
  host.service(PathResolver)!.addNamespace('ipns', async (name, { recursive, dhtTimeout }) => {
    asked.push([name, recursive, dhtTimeout])
    return recursive ? `/ipfs/${at.folder}` : '/ipns/next'
  })
  const of = async (name: string, options = {}) => ((await host.call('resolve', { args: [name], options })) as { Path: string }).Path
  t.is(await of('/ipns/example.org/text'), `/ipfs/${at.text}`)
  t.is(await of('/ipns/example.org/text', { recursive: false, dhtTimeout: '1s' }), '/ipns/next/text')
  t.deepEqual(asked, [
    ['example.org', true, undefined],
    ['example.org', false, 1_000_000_000n]
  ])
  await t.throwsAsync(of('/ipns/example.org', { recursive: false, dhtTimeout: '-1s' }), { message: 'DHT timeout value must be >= 0' })
  await t.throwsAsync(of('/ipns/example.org', { recursive: false, dhtTimeout: '1' }), { message: /^time: missing unit in duration "1"$/ })
})
