import test from 'ava'
import type { CID } from 'multiformats/cid'
import { sumCid } from '../../../../core/cid/sum.ts'
import { BlockWriter, type ImportStore } from '../../../../core/unixfs/import/writer.ts'

const block = (size: number, fill: number) => {
  const bytes = Buffer.alloc(size, fill)
  return [sumCid({ version: 1, codec: 0x55, hash: 0x12 }, bytes), bytes] as const
}

/** A store whose puts end when they are told to. */
class SlowStore implements ImportStore {
  readonly waiting: Array<{ end: () => void; fail: (error: Error) => void }> = []

  put(_: CID): Promise<void> {
    return new Promise((end, fail) => this.waiting.push({ end, fail }))
  }
}

/** One that gives others no turn, however busy the machine is. */
const writerTo = (store: ImportStore) => new BlockWriter(store, undefined, { due: false, take: () => Promise.resolve() })

const turn = () => new Promise(resolve => setImmediate(resolve))

for (const [what, size, most] of [
  ['number', 1, 64],
  ['size', 1_048_576, 4]
] as const) {
  test(`blocks on their way to the store are limited by their ${what}`, async t => {
    const store = new SlowStore()
    const writer = writerTo(store)
    let written = 0
    const writing = (async () => {
      for (let i = 0; i < most * 2; i++) {
        await writer.put(...block(size, i))
        written++
      }
    })()
    await turn()
    t.is(store.waiting.length, most)
    t.is(written, most - 1)
    while (store.waiting.length > 0) {
      store.waiting.shift()!.end()
      await turn()
      t.true(store.waiting.length <= most)
    }
    await writing
    await writer.settled()
    t.is(written, most * 2)
  })
}

test('memory is given back when its block is stored, not before', async t => {
  const store = new SlowStore()
  const writer = writerTo(store)
  let released = false
  await writer.put(...block(10, 1), () => {
    released = true
  })
  t.false(released)
  store.waiting[0]!.end()
  await writer.settled()
  t.true(released)
})

test('a block that is not stored fails what comes next, and the end', async t => {
  const store = new SlowStore()
  const writer = writerTo(store)
  await writer.put(...block(10, 1))
  store.waiting[0]!.fail(new Error('full'))
  await turn()
  await t.throwsAsync(writer.put(...block(10, 2)), { message: 'full' })
  await t.throwsAsync(writer.settled(), { message: 'full' })
})

test('nothing is written once the signal has fired', async t => {
  const store = new SlowStore()
  const controller = new AbortController()
  const writer = new BlockWriter(store, controller.signal)
  controller.abort(new Error('enough'))
  await t.throwsAsync(writer.put(...block(10, 1)), { message: 'enough' })
  t.is(store.waiting.length, 0)
})

test('nothing is written where the signal fires while others have their turn', async t => {
  const store = new SlowStore()
  const controller = new AbortController()
  const writer = new BlockWriter(store, controller.signal, { due: true, take: async () => controller.abort(new Error('enough')) })
  await t.throwsAsync(writer.put(...block(10, 1)), { message: 'enough' })
  t.is(store.waiting.length, 0)
})

/** One that takes several at once, and says which it was given together. */
class BatchStore extends SlowStore {
  readonly batches: number[][] = []

  putAll(blocks: readonly { bytes: Uint8Array }[]): Promise<void> {
    this.batches.push(blocks.map(({ bytes }) => bytes[0]!))
    return new Promise((end, fail) => this.waiting.push({ end, fail }))
  }
}

test('small blocks of one turn are stored by one write, large ones by one each', async t => {
  const store = new BatchStore()
  const writer = writerTo(store)
  for (const i of [1, 2, 3]) await writer.put(...block(1000, i))
  await writer.put(...block(16_385, 4))
  t.deepEqual([store.waiting.length, store.batches], [1, []])
  await turn()
  t.deepEqual([store.waiting.length, store.batches], [2, [[1, 2, 3]]])
  await writer.put(...block(16_384, 5))
  const settled = writer.settled()
  t.deepEqual(store.batches, [[1, 2, 3], [5]])
  for (const { end } of store.waiting) end()
  await settled
})

test('no more than 64 KiB of small blocks wait for others, whatever they are', async t => {
  const store = new BatchStore()
  const writer = writerTo(store)
  for (let i = 0; i < 300; i++) await writer.put(...block(1, i % 256))
  t.deepEqual(
    store.batches.map(({ length }) => length),
    [128, 128]
  )
})

test('memory that is lent to a small block is given back at once, and is not what is stored', async t => {
  const store = new BatchStore()
  const writer = writerTo(store)
  const [cid, bytes] = block(10, 1)
  await writer.put(cid, bytes, () => bytes.fill(9))
  await turn()
  t.deepEqual(store.batches, [[1]])
})

test('small blocks that are not stored fail what comes next, and the end; so do those that the end itself writes', async t => {
  const store = new BatchStore()
  const writer = writerTo(store)
  await writer.put(...block(10, 1))
  await turn()
  store.waiting[0]!.fail(new Error('full'))
  await turn()
  await t.throwsAsync(writer.put(...block(10, 2)), { message: 'full' })

  const other = writerTo(store)
  await other.put(...block(10, 3))
  const settled = other.settled()
  store.waiting[1]!.fail(new Error('full again'))
  await t.throwsAsync(settled, { message: 'full again' })
})

test('what a store throws at once fails the end, though nobody waits for it then', async t => {
  const throwing: ImportStore = {
    put: async () => {},
    putAll: () => {
      throw new Error('closed')
    }
  }
  const writer = writerTo(throwing)
  await writer.put(...block(10, 1))
  await turn()
  await t.throwsAsync(writer.settled(), { message: 'closed' })
})

test('small blocks on their way to the store are limited by their bytes, and what they take beside these', async t => {
  const store = new BatchStore()
  const writer = writerTo(store)
  let written = 0
  const writing = (async () => {
    for (; written < 20_000; written++) await writer.put(...block(1, 1))
  })()
  await turn()
  // of 513 bytes each, four writes of 64 KiB at most
  t.deepEqual([written, store.waiting.length], [511, 4])
  while (store.waiting.length > 0) {
    store.waiting.shift()!.end()
    await turn()
  }
  await writing
  t.is(written, 20_000)
  const settled = writer.settled()
  for (const { end } of store.waiting) end()
  await settled
})

test('others get their turn, be the blocks stored or not', async t => {
  for (const store of [undefined, new BatchStore()]) {
    let taken = 0
    const turns = {
      due: true,
      take: async () => {
        taken++
      }
    }
    const writer = new BlockWriter(store, undefined, turns)
    for (let i = 0; i < 3; i++) await writer.put(...block(10, i))
    t.is(taken, 3)
  }
})
