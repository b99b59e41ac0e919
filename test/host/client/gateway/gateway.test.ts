import test, { type ExecutionContext } from 'ava'
import { selectBlocks } from '../../../../core/car/selection.ts'
import { writeCar } from '../../../../core/car/writer.ts'
import type { Block } from '../../../../core/index.ts'
import { GatewayBlocks } from '../../../../host/client/gateway/blocks.ts'
import { GatewayError, openGateways, type Refusal, type Timer } from '../../../../host/client/gateway/index.ts'
import { Blocks, sourcesOf } from '../../../core/unixfs/export/blocks.ts'
import { gathered } from '../../../helpers/streams.ts'
import { serve, site } from './served.ts'

/** Longer than any machine takes, in milliseconds. */
const PATIENT = 600_000

/** Reads from gateways in this order, and tells which were dropped. */
function reader(gateways: readonly string[], options: { patience?: number; timer?: Timer } = {}) {
  const dropped: Refusal[] = []
  return { dropped, content: openGateways({ gateways, onDropped: refusal => dropped.push(refusal), patience: PATIENT, ...options }) }
}

async function failureOf(t: ExecutionContext, work: () => Promise<unknown>): Promise<GatewayError> {
  return (await t.throwsAsync(work, { instanceOf: GatewayError }))!
}

test('a file, a part of it, a listing and a tree are read from an honest gateway in one request each', async t => {
  const blocks = new Blocks()
  const { root, content } = await site(blocks)
  const gateway = await serve(t, blocks)
  const { content: from, dropped } = reader([gateway.url])
  t.deepEqual(await gathered(from.cat(`/ipfs/${root}/large.bin`)), content)
  t.deepEqual(gateway.asked.splice(0), [`car ${root}/large.bin entity`])
  t.deepEqual(await gathered(from.cat(`${root}/large.bin`, { offset: 199_990, length: 20_020 })), content.subarray(199_990, 220_010))
  t.is((await gathered(from.cat(`${root}/folder/a b.txt`))).toString(), 'small\n')
  gateway.asked.length = 0
  const names: string[] = []
  for await (const { name } of from.ls(String(root))) names.push(name)
  t.deepEqual(names, ['folder', 'large.bin', 'link', 'small.txt'])
  t.deepEqual(gateway.asked.splice(0), [`car ${root} entity`])
  const tree: Array<[string, string, string]> = []
  for await (const { path, type, bytes } of from.get(`ipfs://${root}`)) {
    const read = await gathered(bytes())
    tree.push([path, type, read.equals(content) ? 'the content' : read.toString()])
  }
  t.deepEqual(tree, [
    ['', 'directory', ''],
    ['folder', 'directory', ''],
    ['folder/a b.txt', 'file', 'small\n'],
    ['large.bin', 'file', 'the content'],
    ['link', 'symlink', 'small.txt'],
    ['small.txt', 'file', 'small\n']
  ])
  // a block that appears twice comes once in a CAR; it is still known when it is asked for again
  t.deepEqual(gateway.asked, [`car ${root} all`])
  t.deepEqual(dropped, [])
})

test('a gateway that sends other bytes is named and dropped, and the next one is asked', async t => {
  const blocks = new Blocks()
  const { root, content, inner } = await site(blocks)
  const lying = await serve(t, blocks, {
    async *car(blocks) {
      for await (const { cid, bytes } of blocks) yield { cid, bytes: cid.equals(inner[1]) ? new Uint8Array(bytes).fill(1) : bytes }
    }
  })
  const honest = await serve(t, blocks)
  const { content: from, dropped } = reader([lying.url, honest.url])
  t.deepEqual(await gathered(from.cat(`${root}/large.bin`)), content)
  t.deepEqual(dropped, [{ gateway: lying.url, reason: `sent other bytes for the block ${inner[1]}` }])
  t.true(honest.asked.length > 0)
  t.false(honest.asked.includes(`car ${root}/large.bin entity`))
})

test('a gateway alone that lies about single blocks gives nothing, and the error says what it did', async t => {
  const blocks = new Blocks()
  const { small } = await site(blocks)
  const lying = await serve(t, blocks, { answer: (_, response) => response.writeHead(200).end('other\n') !== undefined })
  const { content: from, dropped } = reader([lying.url])
  const error = await failureOf(t, () => from.block(small))
  t.is(error.code, 'E_GATEWAY_BLOCK')
  t.is(error.message, `no gateway gives the block ${small}: ${lying.url} sent other bytes for the block ${small}`)
  t.deepEqual(error.refusals, dropped)
})

test('a CAR that leaves a block out is made up for, and its gateway dropped where it does not give the block alone', async t => {
  const blocks = new Blocks()
  const { root, content, inner } = await site(blocks)
  const partial = new Blocks()
  for (const [key, bytes] of blocks.map) partial.map.set(key, bytes)
  partial.delete(inner[2]!)
  const tricks = {
    async *car(blocks: AsyncIterable<Block>) {
      try {
        for await (const block of blocks) yield block
      } catch {
        // the archive ends as if it was whole
      }
    }
  }
  const lacking = await serve(t, partial, tricks)
  const honest = await serve(t, blocks)
  const { content: from, dropped } = reader([lacking.url, honest.url])
  const files = new Map<string, Buffer>()
  for await (const { path, bytes } of from.get(String(root))) files.set(path, await gathered(bytes()))
  t.deepEqual(files.get('large.bin'), content)
  t.deepEqual(dropped, [{ gateway: lacking.url, reason: 'left a block out of a CAR and does not have it (status 404)' }])
})

test('blocks that nothing links to, and CARs that never end, are the end of a gateway', async t => {
  const blocks = new Blocks()
  const { root, content } = await site(blocks)
  const strangers = new Blocks()
  const stray = await strangers.add(0x55, Buffer.from('stray'))
  const lying = await serve(t, blocks, {
    async *car(blocks) {
      let count = 0
      for await (const block of blocks) {
        if (++count === 4) for (;;) yield { cid: stray, bytes: Buffer.from('stray') }
        yield block
      }
    }
  })
  const honest = await serve(t, blocks)
  const { content: from, dropped } = reader([lying.url, honest.url])
  t.deepEqual(await gathered(from.cat(`${root}/large.bin`)), content)
  t.deepEqual(dropped, [{ gateway: lying.url, reason: `sent a block that nothing it was asked for links to (${stray})` }])
})

test('an answer for a block that never ends is left at the largest block', async t => {
  const blocks = new Blocks()
  const { small } = await site(blocks)
  const piece = Buffer.alloc(65_536)
  const endless = await serve(t, blocks, {
    answer(_, response) {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(piece));
      }
      response.on('drain', more)
      more()
      return true
    }
  })
  const { content: from, dropped } = reader([endless.url])
  await failureOf(t, () => from.block(small))
  t.deepEqual(dropped, [{ gateway: endless.url, reason: `sent more than 4194304 bytes for the block ${small}` }])
})

test('a gateway that sends nothing any more is dropped, at once or in the middle', async t => {
  const blocks = new Blocks()
  const { small, root, content } = await site(blocks)
  const silent = await serve(t, blocks, { answer: () => true })
  const { content: from } = reader([silent.url], { patience: 300 })
  const error = await failureOf(t, () => from.block(small))
  t.deepEqual(error.refusals, [{ gateway: silent.url, reason: 'sent nothing for 0.3 s' }])
  let stop = () => {}
  const stopped = new Promise<void>(resolve => {
    stop = resolve
  })
  const stuck = await serve(t, blocks, {
    async *car(blocks) {
      let count = 0
      for await (const block of blocks) {
        if (++count === 9) {
          stop()
          await new Promise(() => {})
        }
        yield block
      }
    }
  })
  const honest = await serve(t, blocks)
  // time goes by while the first one is asked, and stands still for the other
  const PATIENCE = 4000
  const waiting = new Set<() => void>()
  const timer: Timer = (act, duration) => {
    if (duration === PATIENCE) waiting.add(act)
    return () => waiting.delete(act)
  }
  const both = reader([stuck.url, honest.url], { patience: PATIENCE, timer })
  const read = gathered(both.content.cat(`${root}/large.bin`))
  await stopped
  while (both.dropped.length === 0) {
    await new Promise(resolve => setImmediate(resolve))
    for (const act of both.dropped.length === 0 ? waiting : []) act()
  }
  t.deepEqual(await read, content)
  t.deepEqual(both.dropped, [{ gateway: stuck.url, reason: 'sent nothing for 4 s' }])
})

test('what breaks off is gone on with where it ended, on the same gateway', async t => {
  const blocks = new Blocks()
  const { root, content } = await site(blocks)
  const breaking = await serve(t, blocks, { breakAfter: 300_000 })
  const { content: from, dropped } = reader([breaking.url])
  t.deepEqual(await gathered(from.cat(`${root}/large.bin`)), content)
  t.deepEqual(dropped, [])
  t.is(breaking.asked.filter(one => one === `car ${root}/large.bin entity`).length, 1)
  // what is left below a node is a CAR of its own
  t.true(breaking.asked.some(one => /^car \w+ entity$/.test(one)))
})

test('gateways that are gone, busy or without the content are passed over, and all of them named at the end', async t => {
  const blocks = new Blocks()
  const { small } = await site(blocks)
  const empty = await serve(t, new Blocks())
  const honest = await serve(t, blocks)
  let times = 0
  const busy = await serve(t, blocks, { answer: (_, response) => ++times < 2 && response.writeHead(429).end() !== undefined })
  t.is((await reader([empty.url, honest.url]).content.block(small)).length, 6)
  t.is((await reader([busy.url]).content.block(small)).length, 6)
  const gone = 'http://127.0.0.1:1'
  const error = await failureOf(t, () => reader([empty.url, gone]).content.block(small))
  t.deepEqual(
    error.refusals.map(({ gateway }) => gateway),
    [gone, empty.url]
  )
  t.regex(error.message, /127\.0\.0\.1:1 is not reached.*does not have it \(status 404\)/)
})

test('a gateway without CARs gives block by block', async t => {
  const blocks = new Blocks()
  const { root, content } = await site(blocks, 12)
  const plain = await serve(t, blocks, {
    answer: (request, response) => request.url!.includes('format=car') && response.writeHead(501).end() !== undefined
  })
  const { content: from, dropped } = reader([plain.url])
  t.deepEqual(await gathered(from.cat(`${root}/large.bin`)), content)
  t.is(plain.asked.filter(one => one.startsWith('car ')).length, 1)
  t.deepEqual(dropped, [])
})

test('a name and a password go into a header field, and into no message', async t => {
  const blocks = new Blocks()
  const { small } = await site(blocks)
  const gateway = await serve(t, blocks)
  const withSecret = gateway.url.replace('//', '//me:s%20ecret@')
  await reader([withSecret]).content.block(small)
  t.is(gateway.headers[0]!.authorization, `Basic ${Buffer.from('me:s ecret').toString('base64')}`)
  const lying = await serve(t, new Blocks(), { answer: (_, response) => response.writeHead(200).end('no') !== undefined })
  const error = await failureOf(t, () => reader([lying.url.replace('//', '//me:secret@')]).content.block(small))
  t.false(JSON.stringify([error.message, error.refusals, error.stack]).includes('secret'))
  for (const text of ['gateway://me:secret@x', 'http://me:secret@[x']) {
    const wrong = t.throws(() => openGateways({ gateways: [text] }), { instanceOf: GatewayError })
    t.is(wrong.code, 'E_GATEWAY_ADDRESS')
    t.false(wrong.message.includes('secret'))
  }
})

test('localhost is asked as 127.0.0.1', async t => {
  const blocks = new Blocks()
  const { small } = await site(blocks)
  const gateway = await serve(t, blocks)
  await reader([gateway.url.replace('127.0.0.1', 'localhost')]).content.block(small)
  t.is(gateway.headers[0]!.host, gateway.url.slice('http://'.length))
})

test('of a CAR no more is read ahead of its reader than there is room for', async t => {
  const made = new Blocks()
  const { root, large } = await site(made)
  const selected = await selectBlocks(root, ['large.bin'], { scope: 'entity' }, sourcesOf(made))
  const car = writeCar([root], selected.blocks())
  let pulled = 0
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await car.next()
        if (done) return controller.close()
        pulled += value.length
        controller.enqueue(value)
      }
    },
    { highWaterMark: 0 }
  )
  const response = new Response(body, { headers: { 'content-type': 'application/vnd.ipld.car; version=1; order=dfs' } })
  const AHEAD = 200_000
  const blocks = new GatewayBlocks({ gateways: ['http://gateway.example'], ahead: AHEAD, fetch: async () => response, check: () => true })
  blocks.plan({ root, path: `${root}/large.bin`, scope: 'entity' })
  await blocks.get(root)
  await blocks.get(large)
  for (let turn = 0; turn < 500; turn++) await new Promise(resolve => setImmediate(resolve))
  t.true(pulled > AHEAD / 2 && pulled < AHEAD + 100_000, `${pulled} bytes`)
  blocks.close()
  await t.throwsAsync(() => blocks.get(root), { message: 'the gateways were closed' })
})
