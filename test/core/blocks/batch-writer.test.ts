import test from 'ava'
import { BatchWriter } from '../../../core/blocks/batch-writer.ts'
import { sumCid } from '../../../core/cid/sum.ts'
import type { Block } from '../../../core/index.ts'

/** A store that takes a batch when it is told to. */
class Store {
  readonly batches: Array<{ blocks: string[]; done(error?: Error): void }> = []

  putAll(blocks: readonly Block[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.batches.push({
        blocks: blocks.map(({ bytes }) => Buffer.from(bytes.subarray(0, 4)).toString()),
        done: error => (error === undefined ? resolve() : reject(error))
      })
    })
  }
}

function block(bytes: Uint8Array): Block {
  return { cid: sumCid({ version: 1, codec: 0x55, hash: 0x12 }, bytes), bytes }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('small blocks go to the store together', async t => {
  const store = new Store()
  const writer = new BatchWriter(store)
  for (let i = 0; i < 255; i++) t.is(writer.put(block(Buffer.from(`n${i}`))), undefined)
  await writer.put(block(Buffer.from('last')))
  t.is(store.batches.length, 1)
  t.is(store.batches[0]!.blocks.length, 256)
})

test('one batch is written while the next is gathered, and its memory is used again after it', async t => {
  const store = new Store()
  const writer = new BatchWriter(store)
  const fill = async (text: string) => {
    const bytes = writer.room(2 * 1024 * 1024)
    bytes.fill(text.charCodeAt(0))
    await writer.put(block(bytes))
    return bytes
  }
  const a = await fill('a')
  let isRoom = false
  const b = fill('b').then(bytes => {
    isRoom = true
    return bytes
  })
  await turn()
  t.false(isRoom)
  t.is(Buffer.from(a.subarray(0, 4)).toString(), 'aaaa')
  store.batches[0]!.done()
  t.not((await b).buffer, a.buffer)
  const c = fill('c')
  store.batches[1]!.done()
  t.is((await c).buffer, a.buffer)
  store.batches[2]!.done()
  await writer.settled()
  t.deepEqual(
    store.batches.map(({ blocks }) => blocks[0]),
    ['aaaa', 'bbbb', 'cccc']
  )
})

test('a batch that fails is the last, and its error is thrown', async t => {
  const store = new Store()
  const writer = new BatchWriter(store)
  await writer.put(block(Buffer.alloc(2 * 1024 * 1024)))
  store.batches[0]!.done(new Error('full'))
  await t.throwsAsync(async () => writer.put(block(Buffer.alloc(2 * 1024 * 1024, 1))), { message: 'full' })
  await t.throwsAsync(() => writer.settled(), { message: 'full' })
  await writer.abandon()
  t.is(store.batches.length, 1)
})

test('who gives up waits for what is being written', async t => {
  const store = new Store()
  const writer = new BatchWriter(store)
  await writer.put(block(Buffer.alloc(2 * 1024 * 1024)))
  void writer.put(block(Buffer.from('rest')))
  let isOver = false
  const over = writer.abandon().then(() => {
    isOver = true
  })
  await turn()
  t.false(isOver)
  store.batches[0]!.done()
  await over
  await writer.settled()
  t.is(store.batches.length, 1)
})
