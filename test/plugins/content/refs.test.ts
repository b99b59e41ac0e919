import test from 'ava'
import type { CID } from 'multiformats/cid'
import { refs } from '../../../plugins/content/commands/refs.ts'
import { unixfs } from '../../core/unixfs/export/blocks.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { contentHost, type Request } from './helpers.ts'

type Ref = { Ref: string; Err: string }

/** a → b → c → d, and a → d: `d` is met deep down first, then again near the root. */
async function world(t: Parameters<typeof contentHost>[0]) {
  const { host, blocks } = await contentHost(t)
  const d = await blocks.pb(unixfs({ type: 2, data: Buffer.from('d'), size: 1n }))
  const node = (...links: Array<[string, CID]>) =>
    blocks.pb(
      unixfs({ type: 1 }),
      links.map(([name, cid]) => [name, cid, 1] as const)
    )
  const e = await node(['f', d])
  const c = await node(['e', e])
  const b = await node(['c', c])
  const a = await node(['b', b], ['e', e])
  const names = new Map(Object.entries({ a, b, c, d, e }).map(([name, cid]) => [String(cid), name]))
  const called = async (request: Request) => {
    const { items, error } = await itemsUntilError<Ref>(host.call('refs', request))
    return error ?? items.map(({ Ref, Err }) => Ref.replace(/baf\w+/g, cid => names.get(cid) ?? cid) + Err)
  }
  return { host, blocks, called, at: { a, b, c, d, e } }
}

const listed: Array<[Record<string, unknown>, string]> = [
  [{}, 'b e'],
  [{ recursive: true }, 'b c e d e d'],
  [{ recursive: true, unique: true }, 'b c e d'],
  [{ recursive: true, maxDepth: 0 }, ''],
  [{ recursive: true, maxDepth: 1 }, 'b e'],
  [{ recursive: true, maxDepth: 2 }, 'b c e d'],
  [{ recursive: true, maxDepth: 3, unique: true }, 'b c e d'],
  [{ maxDepth: 3 }, 'b e'],
  [{ format: '<src>-<linkname>-<dst>' }, 'a-b-b a-e-e'],
  [{ format: '' }, 'b e'],
  [{ format: '$& <nope>' }, '$& <nope> $& <nope>'],
  [{ edges: true, recursive: true, maxDepth: 2 }, 'a -> b b -> c a -> e e -> d']
]
for (const [options, wanted] of listed) {
  test(`refs with ${JSON.stringify(options)}: ${wanted}`, async t => {
    const { called, at } = await world(t)
    const found = await called({ args: [String(at.a)], options })
    t.is(Array.isArray(found) ? found.join(' ') : found, wanted)
  })
}

test('an object met nearer to a root than before is looked into again, not named again', async t => {
  const { called, at } = await world(t)
  t.deepEqual(await called({ args: [String(at.a)], options: { recursive: true, unique: true, maxDepth: 3 } }), ['b', 'c', 'e', 'd'])
  t.deepEqual(await called({ args: [String(at.b), String(at.a)], options: { recursive: true, unique: true, maxDepth: 2 } }), [
    'c',
    'e',
    'b',
    'd'
  ])
})

test('a root that fails is told among the references, and the next goes on', async t => {
  const { blocks, called, at } = await world(t)
  blocks.delete(at.e)
  const missing = (cid: CID) => `block was not found locally (offline): ipld: could not find ${cid}`
  t.deepEqual(await called({ args: [String(at.c), String(at.e), String(at.b)] }), ['failed to fetch all nodes', missing(at.e), 'c'])
  const broken = await blocks.add(0x70, Uint8Array.of(255, 255))
  const none = await blocks.add(0xb0, Uint8Array.of(1))
  const over = await blocks.pb(undefined, [['', broken, 2]])
  t.deepEqual(await called({ args: [String(broken), String(none), String(over)] }), [
    'unexpected EOF',
    'could not choose a decoder: no decoder registered for multicodec code 176 (0xb0)',
    'unexpected EOF'
  ])
})

test('a path that cannot be resolved fails before any reference', async t => {
  const { called, at } = await world(t)
  t.is(await called({ args: [String(at.a), 'nope'] }), 'invalid path "nope": path does not have enough components')
  t.is(await called({ args: [String(at.a)], options: { edges: true, format: '<src>' } }), 'using format argument with edges is not allowed')
})

test('a chain of 20,000 objects is followed', async t => {
  const { blocks, called, at } = await world(t)
  let chain = at.d
  for (let i = 0; i < 20_000; i++) chain = await blocks.pb(undefined, [['', chain, 1]])
  t.is((await called({ args: [String(chain)], options: { recursive: true } })).length, 20_000)
})

test('text is a line a reference, and an error where JSON has one', t => {
  const text = refs.text as (item: Ref) => string
  t.is(text({ Ref: 'Qm', Err: '' }), 'Qm\n')
  t.throws(() => text({ Ref: '', Err: 'why' }), { message: 'why' })
})

test('refs/local lists what the store has', async t => {
  const { host, blocks, at } = await world(t)
  Object.assign(blocks, {
    async *list() {
      yield at.d
    }
  })
  t.deepEqual((await itemsUntilError(host.call('refs/local'))).items, [{ Ref: String(at.d), Err: '' }])
})
