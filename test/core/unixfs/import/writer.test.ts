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

const turn = () => new Promise(resolve => setImmediate(resolve))

for (const [what, size, most] of [
  ['number', 1, 64],
  ['size', 1_048_576, 4]
] as const) {
  test(`blocks on their way to the store are limited by their ${what}`, async t => {
    const store = new SlowStore()
    const writer = new BlockWriter(store)
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
  const writer = new BlockWriter(store)
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
  const writer = new BlockWriter(store)
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
