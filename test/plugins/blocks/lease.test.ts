import { createHash } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { z } from 'zod'
import { parseCid } from '../../../core/cid/parse.ts'
import { Blocks, type Body, command, plugin, stream, value, WriteBarrier } from '../../../core/index.ts'
import { type NodeHost } from '../../../host/host.ts'
import { testHost } from '../../../host/testing.ts'
import { put } from './host.ts'

const parts = { args: {}, help: 'Stores a block.', needs: { blocks: Blocks } } as const
const TEXT = 'stored meanwhile'
const cid = CID.createV1(0x55, create(0x12, createHash('sha256').update(TEXT).digest())).toString()

const writing = command.write('writing', {
  ...parts,
  reply: stream(z.int()),
  async *run({ blocks }, { signal }) {
    await blocks.put(parseCid(cid), Buffer.from(TEXT), { signal })
    yield 1
    yield 2
  }
})
const failing = command.write('failing', {
  ...parts,
  reply: value(z.int()),
  async run({ blocks }, { signal }) {
    await blocks.put(parseCid(cid), Buffer.from(TEXT), { signal })
    throw new Error('failed')
  }
})
const reading = command.read('reading', {
  ...parts,
  reply: stream(z.int()),
  async *run({ blocks }) {
    await blocks.put(parseCid(cid), Buffer.from(TEXT))
    yield 1
  }
})

/** Commands that store a block and say how they use blocks otherwise than by their access. */
const using = (
  [
    ['fetching', 'read', 'stores'],
    ['sweeping', 'write', 'removes']
  ] as const
).map(([path, access, blocks]) =>
  command[access](path, {
    ...parts,
    blocks,
    reply: stream(z.int()),
    async *run({ blocks }, { signal }) {
      await blocks.put(parseCid(cid), Buffer.from(TEXT), { signal })
      yield 1
    }
  })
)

/** A node with these commands, on which the block is there already. */
async function started(t: ExecutionContext): Promise<NodeHost> {
  const host = await testHost({
    plugins: [plugin({ name: 'writers', api: '^1', about: '', commands: [writing, failing, reading, ...using] })]
  })
  t.teardown(() => host.stop())
  await put(host, TEXT)
  return host
}

/** Whether a collection that begins here would keep the block for the sake of somebody who stored it before. */
function isHeld(host: NodeHost): boolean {
  const removal = host.service(WriteBarrier)!.removal()
  const held = removal.keeps(parseCid(cid).multihash.bytes)
  removal.release()
  return held
}

const items = async (host: NodeHost, path: string, request = {}) =>
  ((await host.call(path, request)) as AsyncIterable<unknown>)[Symbol.asyncIterator]()

test('a call that stores blocks holds a lease until its answer has ended', async t => {
  const host = await started(t)
  const answer = await items(host, 'writing')
  await answer.next()
  await answer.next()
  t.true(isHeld(host))
  t.true((await answer.next()).done)
  t.false(isHeld(host))
})

test('an answer that is cut off ends the lease', async t => {
  const host = await started(t)
  const answer = await items(host, 'writing')
  await answer.next()
  t.true(isHeld(host))
  await answer.return?.()
  await new Promise(resolve => setImmediate(resolve))
  t.false(isHeld(host))
})

test('a call that fails ends its lease', async t => {
  const host = await started(t)
  await t.throwsAsync(host.call('failing'), { message: 'failed' })
  t.false(isHeld(host))
})

test('an answer that nobody reads ends the lease when the caller leaves', async t => {
  const host = await started(t)
  const barrier = host.service(WriteBarrier)!
  const leave = new AbortController()
  await host.call('writing', { signal: leave.signal })
  barrier.storing(parseCid(cid).multihash.bytes)
  t.true(isHeld(host))
  leave.abort()
  t.false(isHeld(host))
})

for (const [path, held, what] of [
  ['reading', false, 'only reads holds nothing'],
  ['fetching', true, 'only reads and says that it stores blocks holds a lease'],
  ['sweeping', false, 'says that it removes blocks holds nothing']
] as const) {
  test(`a call that ${what}`, async t => {
    const host = await started(t)
    const answer = await items(host, path)
    await answer.next()
    t.is(isHeld(host), held)
    await answer.return?.()
  })
}

test('what an add that is under way has stored stays, and goes when nothing keeps it afterwards', async t => {
  const host = await started(t)
  let go = () => {}
  const more = new Promise<void>(resolve => {
    go = resolve
  })
  async function* body(): Body {
    const part = (path: string, text: string) => ({
      path,
      kind: 'file' as const,
      headers: {},
      async *bytes() {
        yield new TextEncoder().encode(text)
      }
    })
    yield part('/a', 'first')
    await more
    yield part('/b', 'second')
  }
  const collect = async () => {
    let count = 0
    for await (const _ of (await host.call('repo/gc')) as AsyncIterable<unknown>) count++
    return count
  }
  await collect()
  const answer = await items(host, 'add', { body: body(), options: { pin: false, cidVersion: 1 } })
  const first = (await answer.next()) as IteratorResult<{ Hash: string }>
  t.is(await collect(), 0)
  t.true(await host.service(Blocks)!.has(parseCid(first.value.Hash)))
  go()
  while (!(await answer.next()).done);
  t.true((await collect()) >= 2)
  t.false(await host.service(Blocks)!.has(parseCid(first.value.Hash)))
})
