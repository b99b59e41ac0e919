/** Half messages of the protocols that libraries serve: the log says who sent them, and a peer that is in order is left alone. */
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { libp2pNode } from '../../../helpers/libp2p.ts'
import { linesOf } from '../../../helpers/log.ts'
import { onlineNode } from '../../../helpers/online.ts'
import { until } from '../../../helpers/until.ts'

const [PING, AUTONAT, STOP] = ['/ipfs/ping/1.0.0', '/libp2p/autonat/1.0.0', '/libp2p/circuit/relay/0.2.0/stop']
const half = Buffer.from([100, 1, 2, 3])

const quick = (t: ExecutionContext) => onlineNode(t, { node: { 'Routing.Type': 'none' }, network: { negotiationTimeout: 1_000 } })

for (const protocol of [PING, AUTONAT, STOP]) {
  test(`half a message of ${protocol}, and its end, stand in the log with the peer`, async t => {
    const node = await quick(t)
    const lines = linesOf(node.host, 'network')
    for (const ends of [false, true]) {
      const peer = await libp2pNode(t)
      const stream = await until('it is let in', () => peer.dialProtocol(multiaddr(node.addresses()[0]!), protocol).catch(() => undefined))
      stream.send(half)
      if (ends) await stream.close()
      const wanted = `refused a stream of ${protocol} of the peer ${peer.peerId}: it began a message, and the rest did not come`
      await until('the log says so', () => lines.some(line => line.includes(wanted)), 60_000)
      t.is(lines.filter(line => line.includes(peer.peerId.toString())).length, 1)
    }
  })
}

test('who leaves in the middle of a message, or says nothing, is no offender', async t => {
  const node = await quick(t)
  const lines = linesOf(node.host, 'network')
  const [leaving, silent] = [await libp2pNode(t), await libp2pNode(t)]
  const open = (peer: typeof silent) =>
    until('it is let in', () => peer.dialProtocol(multiaddr(node.addresses()[0]!), PING).catch(() => undefined))
  const quiet = await open(silent)
  const stream = await open(leaving)
  stream.send(half)
  await leaving.stop()
  await until('the silent one is over', () => quiet.status !== 'open')
  await until('the other is gone', () => node.network.connections(leaving.peerId.toString()).length === 0)
  t.deepEqual(lines, [])
})

test('pings go on over one stream for as long as each comes in time, and one that comes in pieces too slowly ends it', async t => {
  const node = await quick(t)
  const peer = await libp2pNode(t)
  const stream = await until('it is let in', () => peer.dialProtocol(multiaddr(node.addresses()[0]!), PING).catch(() => undefined))
  let back = 0
  stream.addEventListener('message', ({ data }) => {
    back += data.byteLength
  })
  for (let round = 1; round <= 8; round++) {
    stream.send(new Uint8Array(32))
    await until(`round ${round} comes back`, () => back === 32 * round)
    await new Promise(resolve => setTimeout(resolve, 300))
  }
  t.is(stream.status, 'open')
  for (let piece = 0; piece < 20 && stream.status === 'open'; piece++) {
    stream.send(new Uint8Array(1))
    await new Promise(resolve => setTimeout(resolve, 300))
  }
  t.not(stream.status, 'open')
})
