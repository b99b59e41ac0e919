import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { Blocks, Blockstore, Exchange, Pins, ready } from '../../../core/index.ts'
import { testHost, upload } from '../../../host/testing.ts'
import { all } from '../../helpers/streams.ts'
import { tree, world } from './world.ts'

const EMPTY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

/** A node in memory that holds a tree of three leaves and a loose leaf. */
async function node(t: ExecutionContext) {
  const w = world()
  const { root, cids } = tree(w, 3, 1)
  const loose = w.leaf('loose')
  const host = await testHost()
  t.teardown(() => host.stop())
  const blocks = host.service(Blocks)!
  for (const cid of [...cids, loose.toString()].map(text => CID.parse(text))) await blocks.put(cid, await w.blocks.get(cid))
  const call = (path: string, args: readonly unknown[] = [], options: Record<string, unknown> = {}) => host.call(path, { args, options })
  const streamed = async (...parameters: Parameters<typeof call>) => all((await call(...parameters)) as AsyncIterable<unknown>)
  return {
    host,
    blocks,
    root: root.toString(),
    leaves: cids.filter(cid => cid !== root.toString()),
    loose: loose.toString(),
    call,
    streamed
  }
}

test('pin/add answers what it pinned, and with progress how many nodes there were', async t => {
  const { root, loose, call, streamed } = await node(t)
  t.deepEqual(await call('pin/add', [root, `/ipfs/${loose}`]), { Pins: [root, loose] })
  t.deepEqual(await streamed('pin/add', [root, loose], { progress: true }), [{ Progress: 5 }, { Pins: [root, loose] }])
  t.deepEqual(await streamed('pin/add', [loose], { progress: true, cidBase: 'base16' }), [
    { Progress: 1 },
    { Pins: [CID.parse(loose).toString((await import('multiformats/bases/base16')).base16)] }
  ])
})

test('pin/add stops at the first that fails; what came before stays', async t => {
  const { root, leaves, loose, blocks, call, streamed } = await node(t)
  await blocks.delete(CID.parse(leaves[1]!))
  const message = `pin: block was not found locally (offline): ipld: could not find ${leaves[1]}`
  await t.throwsAsync(call('pin/add', [loose, root]), { code: 'E_BLOCK_NOT_FOUND', message })
  await t.throwsAsync(streamed('pin/add', [root], { progress: true }), { message })
  t.deepEqual(await call('pin/ls', [loose]), { Keys: { [loose]: { Type: 'recursive', Name: '' } } })
  await t.throwsAsync(call('pin/add', ['nonsense']), { message: 'invalid path "nonsense": path does not have enough components' })
})

test('pin/add says what it was doing when its time was over', async t => {
  const waiting: Exchange = {
    get: (_, { signal } = {}) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
  }
  const host = await testHost({ services: [ready(Exchange, waiting)] })
  t.teardown(() => host.stop())
  const absent = world().leaf('absent').toString()
  for (const recursive of [true, false]) {
    const adding = host.call('pin/add', { args: [absent], options: { recursive, timeout: '30ms' } })
    await t.throwsAsync(adding, { code: 'E_TIMEOUT', message: 'pin: context deadline exceeded' })
  }
  await t.throwsAsync(host.call('pin/add', { args: [absent], options: { timeout: '10s', offline: true } }), { code: 'E_BLOCK_NOT_FOUND' })
})

test('pin/ls lists by type, with names where they are asked for', async t => {
  const { root, leaves, loose, call } = await node(t)
  await call('pin/add', [root], { name: 'tree' })
  await call('pin/add', [loose], { recursive: false, name: 'loose' })
  const of = (type: string, cids: readonly string[], name = '') => Object.fromEntries(cids.map(cid => [cid, { Type: type, Name: name }]))
  const keysOf = async (options: Record<string, unknown>) => ((await call('pin/ls', [], options)) as { Keys?: object }).Keys
  t.deepEqual(await keysOf({}), { ...of('recursive', [EMPTY, root]), ...of('direct', [loose]), ...of('indirect', leaves) })
  t.deepEqual(await keysOf({ type: 'recursive', names: true }), { ...of('recursive', [EMPTY]), ...of('recursive', [root], 'tree') })
  t.deepEqual(await keysOf({ type: 'direct', names: true }), of('direct', [loose], 'loose'))
  t.deepEqual(await keysOf({ type: 'indirect' }), of('indirect', leaves))
  await call('pin/rm', [loose])
  t.deepEqual(await call('pin/ls', [], { type: 'direct' }), {})
})

test('pin/ls streams: recursive pins first, then direct, then indirect ones', async t => {
  const { root, leaves, loose, call, streamed } = await node(t)
  await call('pin/add', [root], { name: 'tree' })
  await call('pin/add', [loose], { recursive: false })
  const items = (await streamed('pin/ls', [], { stream: true, names: true })) as Array<{ Cid: string; Type: string; Name?: string }>
  t.deepEqual(
    items.map(item => item.Type),
    ['recursive', 'recursive', 'direct', 'indirect', 'indirect', 'indirect']
  )
  t.deepEqual(
    items.find(item => item.Cid === root),
    { Cid: root, Name: 'tree', Type: 'recursive' }
  )
  t.deepEqual(
    items
      .slice(3)
      .map(item => item.Cid)
      .sort(),
    leaves.toSorted()
  )
})

test('pin/ls of paths says how each is kept, and complains of the first that is not', async t => {
  const { root, leaves, loose, call, streamed } = await node(t)
  await call('pin/add', [root], { name: 'tree' })
  const through = { Type: `indirect through ${root}`, Name: '' }
  t.deepEqual(await call('pin/ls', [leaves[0], root], { names: true }), {
    Keys: { [leaves[0]!]: through, [root]: { Type: 'recursive', Name: '' } }
  })
  const message = `path '/ipfs/${loose}' is not pinned`
  await t.throwsAsync(call('pin/ls', [root, loose]), { code: 'E_PATH_NOT_PINNED', message })
  await t.throwsAsync(call('pin/ls', [root], { type: 'direct' }), { message: `path '/ipfs/${root}' is not pinned` })
  const items: unknown[] = []
  await t.throwsAsync(
    async () => {
      for await (const item of (await call('pin/ls', [root, loose, 'nonsense'], { stream: true })) as AsyncIterable<unknown>)
        items.push(item)
    },
    { message }
  )
  t.deepEqual(items, [{ Cid: root, Name: undefined, Type: 'recursive' }])
  await t.throwsAsync(streamed('pin/ls', [root, 'nonsense', loose], { stream: true }), { message: /^invalid path "nonsense"/ })
})

test('pin/ls refuses an unknown type before anything else', async t => {
  const { call } = await node(t)
  await t.throwsAsync(call('pin/ls', ['nonsense'], { type: 'Direct', cidBase: 'nope' }), {
    message: "invalid type 'Direct', must be one of {direct, indirect, recursive, all}"
  })
  await t.throwsAsync(call('pin/ls', [], { cidBase: 'nope' }), { message: 'unsupported multibase encoding: nope' })
})

test('pin/rm and pin/update answer what they were given, in the base asked for', async t => {
  const { root, loose, call } = await node(t)
  await call('pin/add', [root], { name: 'site' })
  t.deepEqual(await call('pin/update', [root, loose], { unpin: false }), { Pins: [root, loose] })
  t.deepEqual(await call('pin/ls', [], { type: 'recursive', names: true }), {
    Keys: {
      [EMPTY]: { Type: 'recursive', Name: '' },
      [loose]: { Type: 'recursive', Name: 'site' },
      [root]: { Type: 'recursive', Name: 'site' }
    }
  })
  t.deepEqual(await call('pin/rm', [EMPTY, root], { cidBase: 'base32' }), { Pins: [CID.parse(EMPTY).toV1().toString(), root] })
  await t.throwsAsync(call('pin/rm', [root]), { message: 'not pinned or pinned indirectly' })
})

test('pin/verify names broken pins, and whole ones only when asked', async t => {
  const { root, leaves, blocks, call, streamed } = await node(t)
  await call('pin/add', [root])
  t.deepEqual(await streamed('pin/verify'), [])
  t.deepEqual(
    ((await streamed('pin/verify', [], { verbose: true })) as Array<{ Cid: string; Ok: boolean }>).map(({ Cid, Ok }) => [Cid, Ok]).sort(),
    [
      [EMPTY, true],
      [root, true]
    ].sort()
  )
  await blocks.delete(CID.parse(leaves[1]!))
  const Err = `block was not found locally (offline): ipld: could not find ${leaves[1]}`
  t.deepEqual(await streamed('pin/verify'), [{ Cid: root, BadNodes: [{ Cid: leaves[1], Err }] }])
  t.deepEqual(await streamed('pin/verify', [], { quiet: true }), [{ Cid: root, BadNodes: undefined }])
  await t.throwsAsync(streamed('pin/verify', [], { quiet: true, verbose: true }), { code: 'E_VERIFY_OPTIONS' })
})

test('pin/verify names a leaf whose bytes are damaged', async t => {
  const { host, root, leaves, call, streamed } = await node(t)
  await call('pin/add', [root])
  const store = host.service(Blockstore)!
  const { bytes } = CID.parse(leaves[1]!).multihash
  await store.deleteMultihash!(bytes)
  await store.putBytes!(bytes, Uint8Array.of(1))
  const found = (await streamed('pin/verify')) as Array<{ Cid: string; BadNodes: Array<{ Cid: string; Err: string }> }>
  t.deepEqual(
    found.map(({ Cid, BadNodes }) => [Cid, BadNodes.map(node => node.Cid)]),
    [[root, [leaves[1]]]]
  )
  t.regex(found[0]!.BadNodes[0]!.Err, /hash/)
})

test('a block that a pin keeps is not removed, and one that is let go is', async t => {
  const { root, leaves, call, streamed } = await node(t)
  await call('pin/add', [root])
  t.deepEqual(await streamed('block/rm', [root, leaves[0]]), [
    { Hash: root, Error: 'pinned: recursive' },
    { Hash: leaves[0], Error: `pinned via ${root}` }
  ])
  await call('pin/rm', [root])
  t.deepEqual(await streamed('block/rm', [leaves[0]]), [{ Hash: leaves[0] }])
})

test('pins of a node are at hand for other plugins under their token', async t => {
  const { host, root, leaves } = await node(t)
  const pins = host.service(Pins)!
  await pins.addWritten(CID.parse(root), { name: 'written' })
  t.is((await pins.get(CID.parse(root)))?.name, 'written')
  t.deepEqual((await all(pins.indirect())).map(String).sort(), leaves.toSorted())
})

/** No node in any codec: bytes that neither JSON nor CBOR nor protobuf begin with. */
const JUNK = Uint8Array.of(0x07, 0x01, 0xff, 0xfe, 0x03)

test('pin/add of a single block reads it as the node that its codec says, and pins none that is none', async t => {
  const { call, blocks } = await node(t)
  const multihash = await sha256.digest(JUNK)
  const words: Array<[number, string]> = [
    [0x0129, 'Invalid byte while expecting start of value: 0x7'],
    [0x71, 'unexpected content after end of cbor object'],
    [0x70, 'proto: invalid field number'],
    [0x0300, 'could not choose a decoder: no decoder registered for multicodec code 768 (0x300)']
  ]
  await blocks.put(CID.createV1(0x55, multihash), JUNK)
  const before = await call('pin/ls')
  for (const [codec, why] of words) {
    const cid = CID.createV1(codec, multihash).toString()
    for (const recursive of [false, true]) await t.throwsAsync(call('pin/add', [cid], { recursive }), { message: `pin: ${why}` })
  }
  t.deepEqual(await call('pin/ls'), before)
  const raw = CID.createV1(0x55, multihash).toString()
  t.deepEqual(await call('pin/add', [raw], { recursive: false }), { Pins: [raw] })
})

test('pin/ls finds what keeps an identity CID whose content is no node', async t => {
  const { host, call } = await node(t)
  const cid = CID.createV1(0x70, identity.digest(JUNK))
  const put = await host.call('dag/put', { body: upload(JSON.stringify({ a: { '/': cid.toString() } })), options: { pin: true } })
  const [{ Cid }] = (await all(put as AsyncIterable<unknown>)) as [{ Cid: { '/': string } }]
  const kept = { Keys: { [cid.toString()]: { Type: `indirect through ${Cid['/']}`, Name: '' } } }
  t.deepEqual(await call('pin/ls', [cid.toString()]), kept)
  await all(
    (await host.call('block/put', {
      body: upload(JUNK),
      options: { cidCodec: 'dag-pb', mhtype: 'identity', pin: true }
    })) as AsyncIterable<unknown>
  )
  t.deepEqual(await call('pin/ls', [cid.toString()]), { Keys: { [cid.toString()]: { Type: 'recursive', Name: '' } } })
  t.deepEqual(await call('pin/ls', [cid.toString()], { type: 'indirect' }), kept)
})
