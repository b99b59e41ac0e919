/** Gateways that send their clients elsewhere, and those that are too slow to be of use. */

import test from 'ava'
import { GatewayError, openGateways, type Refusal } from '../../../../host/client/gateway/index.ts'
import { Blocks } from '../../../core/unixfs/export/blocks.ts'
import { gathered } from '../../../helpers/streams.ts'
import { heldTimer, serve, site, type Tricks } from './served.ts'

const text = async (bytes: AsyncIterable<Uint8Array>) => (await gathered(bytes)).toString()

/** Sends every request on. */
const sending = (to: (path: string) => string): Tricks => ({
  answer: ({ url }, response) => response.writeHead(301, { location: to(url!) }).end() !== undefined
})

test('a gateway that sends elsewhere is followed, without its password, and what comes is checked all the same', async t => {
  const blocks = new Blocks()
  const { root, small } = await site(blocks)
  const honest = await serve(t, blocks)
  const through = await serve(
    t,
    new Blocks(),
    sending(path => `${honest.url.replace('127.0.0.1', 'localhost')}${path}`)
  )
  const content = openGateways({ gateways: [through.url.replace('//', '//me:secret@')] })
  t.is(await text(content.cat(`${root}/small.txt`)), 'small\n')
  t.truthy(through.headers[0]!.authorization)
  t.deepEqual(
    honest.headers.map(({ authorization }) => authorization),
    honest.headers.map(() => undefined)
  )
  const lying = await serve(t, blocks, { answer: (_, response) => response.writeHead(200).end('other\n') !== undefined })
  const toLies = await serve(
    t,
    new Blocks(),
    sending(path => lying.url + path)
  )
  const dropped: Refusal[] = []
  const both = openGateways({ gateways: [toLies.url, honest.url], onDropped: refusal => dropped.push(refusal) })
  t.is((await both.block(small)).length, 6)
  t.deepEqual(dropped, [{ gateway: toLies.url, reason: `sent other bytes for the block ${small}` }])
})

test('a gateway that sends round in circles, or to no gateway, gives nothing and keeps nobody', async t => {
  const blocks = new Blocks()
  const { small } = await site(blocks)
  const round = await serve(
    t,
    new Blocks(),
    sending(path => path)
  )
  const away = await serve(
    t,
    new Blocks(),
    sending(() => 'data:,small%0A')
  )
  const honest = await serve(t, blocks)
  t.is((await openGateways({ gateways: [round.url, away.url, honest.url] }).block(small)).length, 6)
  // as many as fetch follows, each time that it is asked
  t.true(round.asked.length <= 3 * 21, `${round.asked.length}`)
  const error = await t.throwsAsync(() => openGateways({ gateways: [round.url] }).block(small), { instanceOf: GatewayError })
  t.regex(error!.message, / is not reached \(redirect count exceeded\)$/)
})

test('a gateway that sends a block drop by drop is dropped, whether it was asked for a CAR or for the block', async t => {
  const blocks = new Blocks()
  const { root, small } = await site(blocks)
  const PATIENCE = 600_000
  const { timer, acts } = heldTimer(2 * PATIENCE)
  let drops = 0
  const slow = await serve(t, blocks, {
    answer({ url }, response) {
      const isCar = url!.includes('format=car')
      response.writeHead(200, { 'content-type': isCar ? 'application/vnd.ipld.car; version=1; order=dfs' : 'application/vnd.ipld.raw' })
      // of a CAR a header that goes on and on
      const drip = setInterval(() => {
        response.write(Uint8Array.of(isCar ? 0x7f : 0))
        if (++drops % 10 === 0) for (const act of acts) act()
      }, 2)
      response.on('close', () => clearInterval(drip))
      return true
    }
  })
  const honest = await serve(t, blocks)
  for (const read of [
    (gateways: readonly string[], dropped: Refusal[]) =>
      text(openGateways({ gateways, patience: PATIENCE, timer, onDropped: one => dropped.push(one) }).cat(`${root}/small.txt`)),
    async (gateways: readonly string[], dropped: Refusal[]) => {
      const content = openGateways({ gateways, patience: PATIENCE, timer, onDropped: one => dropped.push(one) })
      return Buffer.from(await content.block(small)).toString()
    }
  ]) {
    const dropped: Refusal[] = []
    t.is(await read([slow.url, honest.url], dropped), 'small\n')
    t.deepEqual(dropped, [{ gateway: slow.url, reason: 'sent no whole block for 1200 s' }])
  }
})
