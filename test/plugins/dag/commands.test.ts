import test from 'ava'
import type { CID } from 'multiformats/cid'
import { cidToString } from '../../../core/cid/parse.ts'
import { Pins, ready } from '../../../core/index.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { dagHost, type Host, upload } from './helpers.ts'

type Put = { Cid: { '/': string } }
const PUT_A = 'bafyreihltcnuuyqp2jm24aqydpnlj7b6w3ogwrplomrjtg5rifv44mmjey'
const LEAF = '{"leaf":{"deep":[10,20,{"x":"y"}]},"bytes":{"/":{"bytes":"AQID"}}}'

async function put(host: Host, body: Parameters<typeof upload>, options: Record<string, unknown> = {}) {
  const { items, error } = await itemsUntilError<Put>(host.call('dag/put', { options, body: upload(...body) }))
  return { cids: items.map(({ Cid }) => Cid['/']), error }
}

async function get(host: Host, ref: string, outputCodec = 'dag-json') {
  const { items, error } = await itemsUntilError<Uint8Array>(host.call('dag/get', { args: [ref], options: { outputCodec } }))
  return { text: Buffer.concat(items).toString(), error }
}

test('dag/put names each node and stores it in canonical form', async t => {
  const { host, blocks } = await dagHost(t)
  t.deepEqual(await put(host, ['{"a":1}', '{"b" : 2}']), {
    cids: [PUT_A, 'bafyreicgp6iybxlr2od5slbwxq62rwbpgt757zaka2qtot5gcgzf2qwnpm'],
    error: undefined
  })
  t.is(Buffer.from(blocks.map.get(PUT_A)!).toString('hex'), 'a1616101')
})

for (const [options, body, error] of [
  [{ storeCodec: 'nope' }, '{}', 'unknown multicodec: "nope"'],
  [{ inputCodec: '' }, '{}', 'unknown multicodec: ""'],
  [{ hash: 'sha3' }, '{}', 'unknown multicodec: "sha3"'],
  [{ inputCodec: 'libp2p-key' }, '{}', 'no decoder registered for multicodec code 114 (0x72)'],
  [{ storeCodec: 'identity' }, '{}', 'no encoder registered for multicodec code 0 (0x0)'],
  [{ hash: 'x11' }, '{}', 'invalid cid: unknown multihash code 4352 (0x1100): no such hash registered'],
  [{ storeCodec: 'dag-pb' }, '{}', 'missing required fields: Links'],
  [
    { inputCodec: 'raw', storeCodec: 'raw' },
    'x'.repeat(1048577),
    "produced block is over 1MiB: big blocks can't be exchanged with other peers. consider using UnixFS for automatic chunking of bigger files, or pass --allow-big-block to override"
  ]
] as const) {
  test(`dag/put refuses ${JSON.stringify(options)}: ${error.slice(0, 80)}`, async t => {
    const { host, blocks } = await dagHost(t)
    t.deepEqual(await put(host, [body], options), { cids: [], error })
    t.is(blocks.map.size, 0)
  })
}

test('dag/put refuses a directory', async t => {
  const { host } = await dagHost(t)
  t.deepEqual(await put(host, [{ kind: 'directory' }]), { cids: [], error: 'expected a regular file' })
})

test('dag/put names a node that breaks off between two values, and stores none behind it', async t => {
  const { host } = await dagHost(t)
  const { cids, error } = await put(host, ['{"a":1}', '{"b":', '{"c":3}'])
  t.deepEqual(cids, [PUT_A])
  t.regex(error!, /^the node.* is not whole: EOF$/)
})

test('dag/put names a node that the store then refuses', async t => {
  const { host } = await dagHost(t)
  t.deepEqual(await put(host, ['{"hashed":true}'], { hash: 'md5' }), {
    cids: ['bafy5kaiqbg4ezxb5vqux5724rhy552egla'],
    error: 'potentially insecure hash functions not allowed'
  })
})

test('a node may be big when the caller says so, up to the limit of the settings', async t => {
  const { host } = await dagHost(t, { settings: { maxInput: 2_000_000 } })
  const options = { inputCodec: 'raw', storeCodec: 'raw', allowBigBlock: true }
  t.is((await put(host, ['x'.repeat(1_048_577)], options)).cids.length, 1)
  t.is((await put(host, ['x'.repeat(2_000_001)], options)).error, 'input takes more than 2000000 bytes (plugins.dag.maxInput)')
})

test('dag/put pins without a walk, and says so when nothing can pin', async t => {
  const pinned: string[] = []
  const pins = {
    async addWritten(cid: CID) {
      pinned.push(cidToString(cid))
    }
  } as unknown as Pins
  const { host } = await dagHost(t, { services: [ready(Pins, pins)] })
  await put(host, ['{"a":1}'], { pin: true })
  t.deepEqual(pinned, [PUT_A])
  const { host: without } = await dagHost(t)
  t.regex((await put(without, ['{"a":1}'], { pin: true })).error ?? '', /needs the plugin 'pins'/)
})

test('dag/get writes a node or a part of it in any codec', async t => {
  const { host } = await dagHost(t)
  const leaf = (await put(host, [LEAF])).cids[0]!
  t.is((await get(host, leaf)).text, '{"bytes":{"/":{"bytes":"AQID"}},"leaf":{"deep":[10,20,{"x":"y"}]}}')
  t.is((await get(host, `${leaf}/leaf/deep/2/x`)).text, '"y"')
  t.is((await get(host, `${leaf}/bytes`, 'raw')).text, '\x01\x02\x03')
})

test('dag/get sends what it could write before an error', async t => {
  const { host } = await dagHost(t)
  const leaf = (await put(host, [LEAF])).cids[0]!
  t.deepEqual(await get(host, leaf, 'json'), {
    text: '{\n\t"leaf": {\n\t\t"deep": [\n\t\t\t10,\n\t\t\t20,\n\t\t\t{\n\t\t\t\t"x": "y"\n\t\t\t}\n\t\t]\n\t},\n\t"bytes": ',
    error: 'cannot marshal IPLD bytes to this codec'
  })
})

test('dag/get says which codec cannot write', async t => {
  const { host } = await dagHost(t)
  const leaf = (await put(host, [LEAF])).cids[0]!
  t.is((await get(host, leaf, 'libp2p-key')).error, 'invalid encoding: libp2p-key - no encoder registered for multicodec code 114 (0x72)')
})

test('a root beyond int64 is read from a stored block, in whatever codec', async t => {
  const { host } = await dagHost(t)
  const root = (await put(host, [Buffer.from('1bffffffffffffffff', 'hex')], { inputCodec: 'dag-cbor' })).cids[0]!
  for (const codec of ['dag-cbor', 'dag-json']) t.is((await get(host, root, codec)).error, undefined)
})

test('dag/resolve answers the block and the rest of the path', async t => {
  const { host } = await dagHost(t)
  await put(host, ['{"a":1}'])
  t.deepEqual(await host.call('dag/resolve', { args: [`${PUT_A}/a`] }), { Cid: { '/': PUT_A }, RemPath: '/a' })
})

test('dag/stat counts each root and what they share', async t => {
  const { host } = await dagHost(t)
  const leaf = (await put(host, ['"leaf"'])).cids[0]!
  const [one, two] = (await put(host, [`[{"/":"${leaf}"},{"/":"${leaf}"}]`, `{"x":{"/":"${leaf}"}}`])).cids
  const { items } = await itemsUntilError(host.call('dag/stat', { args: [one, two], options: { progress: false } }))
  t.deepEqual(items, [
    {
      UniqueBlocks: 3,
      TotalSize: 132,
      SharedSize: 5,
      Ratio: 1.0378788,
      DagStats: [
        { Cid: one, Size: 88, NumBlocks: 2 },
        { Cid: two, Size: 49, NumBlocks: 2 }
      ]
    }
  ])
  const { items: progress } = await itemsUntilError(host.call('dag/stat', { args: [two] }))
  t.deepEqual(progress[0], {
    TotalSize: 44,
    DagStats: [{ Cid: two, Size: 44, NumBlocks: 1 }]
  })
  t.is(progress.length, 3)
})

test('dag/stat tells a missing root from a missing child, and refuses a path into a block', async t => {
  const { host, blocks } = await dagHost(t)
  const leaf = (await put(host, ['"leaf"'])).cids[0]!
  const root = (await put(host, [`[{"/":"${leaf}"}]`])).cids[0]!
  blocks.map.delete(leaf)
  t.is((await itemsUntilError(host.call('dag/stat', { args: [leaf] }))).error, `no ${leaf}`)
  const { items, error } = await itemsUntilError(host.call('dag/stat', { args: [root] }))
  t.is(items.length, 1)
  t.is(error, `error traversing DAG: no ${leaf}`)
  const list = (await put(host, ['[1]'])).cids[0]!
  t.is(
    (await itemsUntilError(host.call('dag/stat', { args: [`${list}/0`] }))).error,
    'cannot return size for anything other than a DAG with a root CID'
  )
})
