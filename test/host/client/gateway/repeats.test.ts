/** CARs of gateways that bring the same blocks for ever, or fewer than they should. */
import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import type { Block } from '../../../../core/index.ts'
import { GatewayBlocks } from '../../../../host/client/gateway/blocks.ts'
import { openGateways, type Refusal } from '../../../../host/client/gateway/index.ts'
import { Blocks } from '../../../core/unixfs/export/blocks.ts'
import { gathered } from '../../../helpers/streams.ts'
import { heldTimer, serve, site } from './served.ts'

/** Longer than any machine takes, in milliseconds. */
const PATIENCE = 600_000

/** The first blocks of an archive, the last of them again and again. */
async function* repeating(blocks: AsyncIterable<Block>, count: number): AsyncGenerator<Block> {
  let last: Block | undefined
  for await (const block of blocks) {
    yield block
    last = block
    if (--count === 0) break
  }
  for (;;) yield last!
}

test('a gateway whose CAR brings a block again and again is asked for no more CARs, but for single blocks', async t => {
  const blocks = new Blocks()
  const { root, content } = await site(blocks)
  const gateway = await serve(t, blocks, { car: found => repeating(found, 4) })
  const dropped: Refusal[] = []
  const from = openGateways({ gateways: [gateway.url], patience: PATIENCE, onDropped: one => dropped.push(one) })
  t.deepEqual(await gathered(from.cat(`${root}/large.bin`)), content)
  t.deepEqual(
    gateway.asked.filter(one => one.startsWith('car')),
    [`car ${root}/large.bin entity`]
  )
  t.deepEqual(dropped, [])
})

test('a gateway that sends nothing but a block that it has sent, drop by drop, is dropped', async t => {
  const blocks = new Blocks()
  const { root, small } = await site(blocks)
  const { timer, acts } = heldTimer(2 * PATIENCE)
  let sent = 0
  const dripping = await serve(t, blocks, {
    async *car(found) {
      for await (const block of repeating(found, 1)) {
        yield block
        await turn()
        if (++sent % 10 === 0) for (const act of acts) act()
      }
    }
  })
  const honest = await serve(t, blocks)
  const dropped: Refusal[] = []
  const gateways = [dripping.url, honest.url]
  const from = openGateways({ gateways, patience: PATIENCE, timer, onDropped: one => dropped.push(one) })
  t.is((await gathered(from.cat(`${root}/small.txt`))).toString(), 'small\n')
  t.is((await from.block(small)).length, 6)
  t.deepEqual(dropped, [{ gateway: dripping.url, reason: `sent no whole block for ${(2 * PATIENCE) / 1000} s` }])
})

test('blocks that a CAR leaves out count against its gateway, whether somebody waited for them as it ended or not', async t => {
  const blocks = new Blocks()
  const { large, inner } = await site(blocks)
  const lacking = await serve(t, blocks, {
    async *car(found) {
      // the second of the file's parts is left out with all below it, and the archive ends behind the third
      const left = new Set((await links(blocks, inner[1]!)).concat(String(inner[1])))
      const last = (await links(blocks, inner[2]!)).at(-1)
      for await (const block of found) {
        if (!left.has(String(block.cid))) yield block
        if (String(block.cid) === last) return
      }
    },
    answer: (request, response) => {
      if (request.url!.includes('format=car')) return false
      response.writeHead(404).end()
      return true
    }
  })
  for (const missing of [inner[1]!, inner[3]!]) {
    const honest = await serve(t, blocks)
    let ended = () => {}
    const end = new Promise<void>(resolve => (ended = resolve))
    const fetch = (url: string, init?: RequestInit) => {
      // a request is closed in any case
      if (url.includes('format=car')) init!.signal!.addEventListener('abort', () => ended())
      return globalThis.fetch(url, init)
    }
    const dropped: Refusal[] = []
    const gateways = [lacking.url, honest.url]
    const from = new GatewayBlocks({ gateways, patience: PATIENCE, fetch, onDropped: one => dropped.push(one) })
    from.plan({ root: large, path: String(large), scope: 'all' }, false)
    await from.get(large)
    await end
    await turn()
    t.deepEqual(Buffer.from(await from.get(missing)), Buffer.from(await blocks.get(missing)))
    t.deepEqual(dropped, [{ gateway: lacking.url, reason: 'left a block out of a CAR and does not have it (status 404)' }])
    from.close()
  }
})

async function links(blocks: Blocks, cid: Parameters<Blocks['get']>[0]): Promise<string[]> {
  const { decode } = await import('@ipld/dag-pb')
  return decode(await blocks.get(cid)).Links.map(({ Hash }) => String(Hash))
}
