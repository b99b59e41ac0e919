import test from 'ava'
import { until } from '../../helpers/until.ts'
import { listed, mountingNode, tcpService } from './helpers.ts'

interface Line {
  readonly Status: string
  readonly Protocol: string
  readonly Address: string
}

const NOBODY = '/p2p/12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'

for (const [path, args] of [
  ['p2p/forward', ['/x/test', '/ip4/127.0.0.1/tcp/0', NOBODY]],
  ['p2p/listen', ['/x/test', '/ip4/127.0.0.1/tcp/9']]
] as const) {
  test(`${path} in the foreground says when it is there and when somebody closes it`, async t => {
    const node = await mountingNode(t)
    const items = (await node.host.call(path, { args, options: { foreground: true } })) as AsyncIterable<Line>
    const lines = items[Symbol.asyncIterator]()
    const line = { Protocol: '/x/test', Address: args[1] }
    t.deepEqual((await lines.next()).value, { Status: 'active', ...line })
    t.is((await listed(node)).length, 1)
    const last = lines.next()
    t.is(await node.host.call('p2p/close', { options: { all: true } }), 1)
    t.deepEqual((await last).value, { Status: 'closing', ...line })
    t.true((await lines.next()).done)
    t.deepEqual(await listed(node), [])
  })

  test(`${path} in the foreground ends when its caller leaves`, async t => {
    const node = await mountingNode(t)
    const leave = new AbortController()
    const call = { args, options: { foreground: true }, signal: leave.signal }
    const lines = ((await node.host.call(path, call)) as AsyncIterable<Line>)[Symbol.asyncIterator]()
    await lines.next()
    const nextLine = lines.next().then(
      () => {},
      () => {}
    )
    leave.abort(new Error('it leaves'))
    await nextLine
    await until('nothing is left', async () => (await listed(node)).length === 0)
    t.pass()
  })
}

test('one that was closed takes nothing along that has its name since', async t => {
  const node = await mountingNode(t)
  const target = await tcpService(t, socket => socket.end())
  const items = (await node.host.call('p2p/listen', { args: ['/x/test', target], options: { foreground: true } })) as AsyncIterable<Line>
  const lines = items[Symbol.asyncIterator]()
  await lines.next()
  await node.host.call('p2p/close', { options: { all: true } })
  await node.host.call('p2p/listen', { args: ['/x/test', '/ip4/127.0.0.1/tcp/9'] })
  t.is((await lines.next()).value.Status, 'closing')
  await lines.next()
  t.is((await listed(node)).length, 1)
})
