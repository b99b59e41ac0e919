import test, { type ExecutionContext } from 'ava'
import { writeCar } from '../../../core/car/writer.ts'
import { digestSync } from '../../../core/cid/hashers.ts'
import { cidToString, parseCid } from '../../../core/cid/parse.ts'
import { sumCid } from '../../../core/cid/sum.ts'
import { dagCbor } from '../../../core/dag/codecs/cbor/cbor.ts'
import { type Block, Blocks, type BodyPart, Pins } from '../../../core/index.ts'
import { type NodeHost } from '../../../host/host.ts'
import { testHost } from '../../../host/testing.ts'
import { pieces, rawBlock, recordedCars } from '../../core/car/fixtures.ts'
import { all, itemsUntilError } from '../../helpers/streams.ts'

interface Item {
  Root?: { Cid: { '/': string }; PinErrorMsg: string }
  Stats?: { BlockCount: number; BlockBytesCount: number }
}

const cars = await recordedCars('dag-import')

async function node(t: ExecutionContext, settings = {}): Promise<NodeHost> {
  const host = await testHost({ configuration: { plugins: { dag: settings } } })
  t.teardown(() => host.stop())
  return host
}

async function* body(...sources: Array<Uint8Array | AsyncIterable<Uint8Array>>): AsyncGenerator<BodyPart> {
  for (const source of sources) {
    yield { path: '/x.car', kind: 'file', headers: {}, bytes: () => (source instanceof Uint8Array ? pieces(source, 1000) : source) }
  }
}

function imported(host: NodeHost, sources: Parameters<typeof body>, options = {}, signal?: AbortSignal) {
  return itemsUntilError<Item>(host.call('dag/import', { body: body(...sources), options, signal }))
}

function carOf(roots: readonly Block[], ...blocks: Block[]): AsyncGenerator<Uint8Array> {
  const source = async function* () {
    yield* blocks
  }
  return writeCar(
    roots.map(({ cid }) => cid),
    source()
  )
}

function nodeOf(...links: Block[]): Block {
  const bytes = dagCbor.encode!(links.map(({ cid }) => cid))
  return { cid: sumCid({ version: 1, codec: 0x71, hash: 0x12 }, bytes), bytes }
}

/** The number of blocks, each of which is held against its CID. */
async function intact(t: ExecutionContext, host: NodeHost): Promise<number> {
  const blocks = host.service(Blocks)!
  let count = 0
  for await (const cid of blocks.list()) {
    const { code, digest, size } = cid.multihash
    t.deepEqual(Buffer.from(digestSync(code, await blocks.get(cid), size)), Buffer.from(digest))
    count++
  }
  return count
}

const pinned = async (host: NodeHost) => (await all(host.service(Pins)!.list())).map(({ text, mode, name }) => [text, mode, name])

test('what is imported is stored, and its roots are pinned before they are told', async t => {
  const host = await node(t)
  const before = await pinned(host)
  const leaves = [rawBlock(Buffer.from('a')), rawBlock(Buffer.from('b'))]
  const root = nodeOf(...leaves)
  const { items, error } = await imported(host, [carOf([root], root, ...leaves)], { stats: true })
  t.is(error, undefined)
  t.deepEqual(items, [
    { Root: { Cid: { '/': cidToString(root.cid) }, PinErrorMsg: '' } },
    { Stats: { BlockCount: 3, BlockBytesCount: root.bytes.length + 2 } }
  ])
  t.deepEqual((await pinned(host)).length, before.length + 1)
  t.is(Buffer.from(await host.service(Blocks)!.get(leaves[1]!.cid)).toString(), 'b')
})

test('a root whose graph came in several CARs, or was there before, is pinned', async t => {
  const host = await node(t)
  const leaves = [rawBlock(Buffer.from('a')), rawBlock(Buffer.from('b'))]
  const root = nodeOf(...leaves)
  const upper = nodeOf(root)
  const messages = ({ items }: { items: Item[] }) => items.map(({ Root }) => Root?.PinErrorMsg)
  t.deepEqual(messages(await imported(host, [carOf([root], root), carOf([], ...leaves)])), [''])
  t.deepEqual(messages(await imported(host, [carOf([upper], upper)])), [''])
  t.deepEqual(messages(await imported(host, [carOf([upper])])), [''])
})

test('a root whose graph is not whole is not pinned, nor one that is missing', async t => {
  const host = await node(t)
  const before = await pinned(host)
  const leaves = [rawBlock(Buffer.from('a')), rawBlock(Buffer.from('b'))]
  const root = nodeOf(...leaves)
  const { items } = await imported(host, [carOf([root, leaves[1]!], root, leaves[0]!)])
  const absent = cidToString(leaves[1]!.cid)
  t.deepEqual(
    items.map(({ Root }) => Root?.PinErrorMsg),
    [`block was not found locally (offline): ipld: could not find ${absent}`, `ipld: could not find ${absent}`]
  )
  t.deepEqual(await pinned(host), before)
})

test('dag/import local-only stores part of a graph and pins nothing', async t => {
  const host = await node(t)
  const before = await pinned(host)
  const [there, missing] = [rawBlock(Buffer.from('a')), rawBlock(Buffer.from('b'))]
  const root = nodeOf(there, missing)
  const part = () => [carOf([root], root, there)]
  t.deepEqual(await imported(host, part(), { localOnly: true, stats: true }), {
    items: [{ Stats: { BlockCount: 2, BlockBytesCount: root.bytes.length + 1 } }],
    error: undefined
  })
  t.deepEqual(await pinned(host), before)
  t.true(await host.service(Blocks)!.has(root.cid))
  t.regex((await imported(host, part(), { localOnly: true, pinRoots: true })).error ?? '', /^--local-only implies --pin-roots=false/)
})

test('a pin that is there keeps its name', async t => {
  const host = await node(t)
  const root = rawBlock(Buffer.from('named'))
  await host.service(Blocks)!.put(root.cid, root.bytes)
  await host.service(Pins)!.add(root.cid, { name: 'mine' })
  await imported(host, [carOf([root], root)])
  t.is((await host.service(Pins)!.get(root.cid))?.name, 'mine')
})

test('a CAR of version 2 is imported', async t => {
  const host = await node(t)
  const { items } = await imported(host, [cars.get('CARv2 with an index')!], { stats: true })
  t.deepEqual(items.at(-1), { Stats: { BlockCount: 1, BlockBytesCount: 9 } })
  t.is(items.length, 2)
})

test('many large blocks in chunks of any size arrive as they were', async t => {
  const host = await node(t)
  const leaves = Array.from({ length: 60 }, (_, i) => rawBlock(Buffer.alloc(200_000 + i, `block ${i}`)))
  const root = nodeOf(...leaves)
  const bytes = Buffer.concat(await all(carOf([root], root, ...leaves)))
  const { items } = await imported(host, [pieces(bytes, 65_536, 10, 300_000)], { stats: true })
  t.is(items.at(-1)?.Stats?.BlockCount, 61)
  t.true((await intact(t, host)) >= 61)
})

test('a CAR that was cut off anywhere leaves a sound repo, and pins nothing that is not whole', async t => {
  const host = await node(t)
  const car = cars.get('a parent with its children')!
  const root = 'bafyreigkvck2add7awek5n6pniosmny6r5wo5bstksmsgasmm6jlulokwm'
  for (let cut = 0; cut < car.length; cut++) {
    const { items, error } = await imported(host, [car.subarray(0, cut)])
    const isPinned = items.some(({ Root }) => Root?.PinErrorMsg === '')
    t.false(isPinned, `after ${cut} bytes`)
    if (error !== undefined) t.regex(error, cut === 0 ? /is empty: EOF$/ : /unexpected EOF$/)
    t.is(await host.service(Pins)!.get(parseCid(root)), undefined)
  }
  await intact(t, host)
})

const header = cars.get('no roots')!.subarray(0, 18)
const zeros = Buffer.alloc(1_000_000)

for (const [what, settings, source, error] of [
  ['a million sections without bytes', {}, [header, zeros], 'import failed: invalid cid: varints malformed, could not reach the end'],
  [
    'a header over the limit',
    { maxCarHeader: 64 },
    [Buffer.from([65]), zeros],
    'invalid header data, length of read beyond allowable maximum'
  ],
  [
    'a section over the limit',
    { maxCarSection: 64 },
    [header, Buffer.from([65]), zeros],
    'import failed: invalid section data, length of read beyond allowable maximum'
  ],
  ['too many roots', { maxCarRoots: 1 }, [cars.get('two roots')!], 'more than 1 roots, the most that this node takes at a time']
] as const) {
  test(`${what}: refused, and nothing is stored`, async t => {
    const host = await node(t, settings)
    const before = await intact(t, host)
    t.deepEqual(await imported(host, [Buffer.concat(source)]), { items: [], error })
    t.is(await intact(t, host), before)
  })
}

test('all CARs of a call together name no more roots than the limit', async t => {
  const host = await node(t, { maxCarRoots: 2 })
  const car = (name: string) => carOf([rawBlock(Buffer.from(name))])
  t.regex((await imported(host, [car('a'), car('b'), car('c')])).error ?? '', /^more than 2 roots/)
  t.is((await imported(host, [car('a'), car('b'), car('a')])).error, undefined)
})

test('a block that cannot be decoded is refused, naming it', async t => {
  const host = await node(t)
  const bytes = Buffer.from('81', 'hex')
  const bad = { cid: sumCid({ version: 1, codec: 0x71, hash: 0x12 }, bytes), bytes }
  const good = rawBlock(Buffer.from('good'))
  const { error } = await imported(host, [carOf([bad], good, bad)])
  t.regex(error ?? '', new RegExp(`^import failed at block "${cidToString(bad.cid)}": `))
})

test('an import ends when its caller leaves', async t => {
  const host = await node(t)
  const left = new AbortController()
  const source = async function* () {
    yield* carOf([], rawBlock(Buffer.from('first')))
    left.abort()
    await new Promise(() => {})
  }
  const { error } = await imported(host, [source()], {}, left.signal)
  t.is(error, 'context canceled')
})

test('a CAR without a byte is refused, and named: the roots of those beside it would not be pinned', async t => {
  const host = await node(t)
  const [first, last] = ['first', 'last'].map(text => rawBlock(Buffer.from(text))) as [Block, Block]
  const { items, error } = await imported(host, [carOf([first], first), Uint8Array.of(), carOf([last], last)])
  t.deepEqual(items, [])
  t.is(error, 'import failed: the CAR /x.car is empty: EOF')
})
