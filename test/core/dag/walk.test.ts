import test from 'ava'
import type { CID } from 'multiformats/cid'
import { sumCid } from '../../../core/cid/sum.ts'
import { dagCbor } from '../../../core/dag/codecs/cbor/cbor.ts'
import { SeenCids } from '../../../core/dag/walk/seen-cids.ts'
import { type WalkOptions, walk } from '../../../core/dag/walk/walk.ts'

/** A store of dag-cbor blocks that counts what is asked of it. */
class Store {
  readonly #blocks = new Map<string, Uint8Array>()
  readonly names = new Map<string, string>()
  asked = 0
  underway = 0
  most = 0

  put(name: string, ...links: CID[]): CID {
    const bytes = dagCbor.encode!([name, links])
    const cid = sumCid({ version: 1, codec: 0x71, hash: 0x12 }, bytes)
    this.#blocks.set(String(cid), bytes)
    this.names.set(String(cid), name)
    return cid
  }

  forget(cid: CID): void {
    this.#blocks.delete(String(cid))
  }

  async get(cid: CID, { signal }: { signal?: AbortSignal }): Promise<Uint8Array> {
    this.asked++
    this.most = Math.max(this.most, ++this.underway)
    await Promise.resolve()
    this.underway--
    signal?.throwIfAborted()
    const bytes = this.#blocks.get(String(cid))
    if (bytes === undefined) throw new Error(`missing ${this.names.get(String(cid))}`)
    return bytes
  }

  links(_: CID, bytes: Uint8Array) {
    return [...dagCbor.links(bytes)]
  }

  async order(root: CID, options?: WalkOptions): Promise<string[]> {
    const names: string[] = []
    for await (const { cid } of walk(root, this, options)) names.push(this.names.get(String(cid))!)
    return names
  }
}

function family(store: Store) {
  const d = store.put('d')
  const b = store.put('b', d, store.put('e'))
  const c = store.put('c', d)
  return { root: store.put('a', b, c, b), b, c, d }
}

test('blocks come parents first, links in order, each once', async t => {
  const store = new Store()
  const { root } = family(store)
  t.deepEqual(await store.order(root), ['a', 'b', 'd', 'e', 'c'])
})

test('without unique, a block comes as often as it is linked', async t => {
  const store = new Store()
  const { root } = family(store)
  t.deepEqual(await store.order(root, { unique: false }), ['a', 'b', 'd', 'e', 'c', 'd', 'b', 'd', 'e'])
})

test('a depth limit stops at its links', async t => {
  const store = new Store()
  const { root } = family(store)
  t.deepEqual(await store.order(root, { maxDepth: 0 }), ['a'])
  t.deepEqual(await store.order(root, { maxDepth: 1 }), ['a', 'b', 'c'])
})

test('a walk longer than it may be is an error', async t => {
  const store = new Store()
  const { root } = family(store)
  t.is((await store.order(root, { maxVisits: 5 })).length, 5)
  await t.throwsAsync(() => store.order(root, { maxVisits: 4 }), { message: 'the graph has more than 4 blocks' })
})

test('walks share what they have seen', async t => {
  const store = new Store()
  const { root, b } = family(store)
  const seen = new SeenCids()
  t.deepEqual(await store.order(b, { seen }), ['b', 'd', 'e'])
  t.deepEqual(await store.order(root, { seen }), ['a', 'c'])
  t.is(seen.size, 5)
})

test('a missing block is an error at its turn, after those before it', async t => {
  const store = new Store()
  const { root, d } = family(store)
  store.forget(d)
  const names: string[] = []
  await t.throwsAsync(
    async () => {
      for await (const { cid } of walk(root, store)) names.push(store.names.get(String(cid))!)
    },
    { message: 'missing d' }
  )
  t.deepEqual(names, ['a', 'b'])
})

test('blocks ahead load while one is looked at, never more than asked for', async t => {
  const store = new Store()
  const root = store.put('root', ...Array.from({ length: 100 }, (_, i) => store.put(`leaf ${i}`)))
  t.is((await store.order(root, { ahead: 5 })).length, 101)
  t.is(store.most, 5)
  t.is(store.asked, 101)
})

test('a chain longer than any stack is walked', async t => {
  const store = new Store()
  let root = store.put('0')
  for (let i = 1; i < 20_000; i++) root = store.put(String(i), root)
  t.is((await store.order(root)).length, 20_000)
})

test('a consumer that leaves stops the loading', async t => {
  const store = new Store()
  const root = store.put('root', ...Array.from({ length: 100 }, (_, i) => store.put(`leaf ${i}`)))
  for await (const { depth } of walk(root, store, { ahead: 3 })) if (depth === 1) break
  t.true(store.asked <= 5)
})

test('an aborted signal ends the walk', async t => {
  const store = new Store()
  const { root } = family(store)
  const controller = new AbortController()
  await t.throwsAsync(
    async () => {
      for await (const { depth } of walk(root, store, { signal: controller.signal })) if (depth === 1) controller.abort(new Error('enough'))
    },
    { message: 'enough' }
  )
})

test('who asks is told where a block that cannot be loaded stands, and says what is thrown', async t => {
  const store = new Store()
  const { root, b, d } = family(store)
  store.forget(d)
  const told: unknown[] = []
  const onFailure: WalkOptions['onFailure'] = async (error, { cid, steps }) => {
    told.push(
      (error as Error).message,
      store.names.get(String(cid)),
      steps.map(step => [String(step.cid), step.index])
    )
    return new Error('told')
  }
  await t.throwsAsync(() => store.order(root, { onFailure }), { message: 'told' })
  t.deepEqual(told, [
    'missing d',
    'd',
    [
      [String(root), 0],
      [String(b), 0]
    ]
  ])
})

test('blocks ahead are asked for several at a time', async t => {
  const store = new Store()
  const leaves = Array.from({ length: 64 }, (_, i) => store.put(`leaf ${i}`))
  const root = store.put('root', ...leaves)
  const asked: number[] = []
  for await (const _ of walk(root, store, { ahead: 16 })) asked.push(store.asked)
  t.is(asked.at(-1), 65)
  // Between two turns in which nothing is asked for, eight or more are.
  const steps = asked.map((count, i) => count - (asked[i - 1] ?? 0)).filter(step => step > 0)
  t.true(
    steps.slice(2, -1).every(step => step >= 8),
    String(steps)
  )
})
