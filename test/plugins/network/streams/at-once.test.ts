/** A peer that opens a stream and writes the lines of its protocol, a whole message and the end at once, as Kubo 0.28 does. */
import { randomBytes } from 'node:crypto'
import { quic } from '@chainsafe/libp2p-quic'
import type { Connection, Stream, StreamMuxer } from '@libp2p/interface'
import { tcp } from '@libp2p/tcp'
import { webSockets } from '@libp2p/websockets'
import { multiaddr } from '@multiformats/multiaddr'
import test from 'ava'
import type { Libp2pOptions } from 'libp2p'
import { libp2pNode } from '../../../helpers/libp2p.ts'
import { onlineNode } from '../../../helpers/online.ts'
import { gathered } from '../../../helpers/streams.ts'
import { until } from '../../../helpers/until.ts'

const PROTOCOL = '/x/once'

/** A line of multistream-select, behind its length. */
const line = (text: string) => Buffer.from(`${String.fromCharCode(text.length + 1)}${text}\n`)

const transports = {
  TCP: { listen: '/ip4/127.0.0.1/tcp/0', make: tcp() },
  WebSocket: { listen: '/ip4/127.0.0.1/tcp/0/ws', make: webSockets() },
  QUIC: { listen: '/ip4/127.0.0.1/udp/0/quic-v1', make: quic() }
}

for (const [name, { listen, make }] of Object.entries(transports)) {
  test(`what a peer writes over ${name} together with the protocol and the end of the stream is read to its end`, async t => {
    const node = await onlineNode(t, { node: { 'Addresses.Swarm': [listen], 'Routing.Type': 'none' } })
    let received = Promise.withResolvers<Buffer>()
    await node.network.handle(PROTOCOL, stream => gathered(stream).then(received.resolve, received.reject))
    const peer = await libp2pNode(t, { transports: [make], addresses: { listen: [] } } as Libp2pOptions)
    const connection = (await peer.dial(multiaddr(node.addresses()[0]!))) as Connection & { readonly muxer: StreamMuxer }
    for (const size of [1, 793, 20_000, 793, 200_000, 0]) {
      received = Promise.withResolvers()
      const message = randomBytes(size)
      const stream: Stream = await connection.muxer.createStream()
      stream.send(Buffer.concat([line('/multistream/1.0.0'), line(PROTOCOL), message]))
      await stream.close()
      t.true(message.equals(await received.promise), `${size} octets`)
      stream.abort(new Error('over'))
    }
  })
}

test('a ping that comes together with the end of its stream is answered', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  const peer = await libp2pNode(t)
  const connection = (await peer.dial(multiaddr(node.addresses()[0]!))) as Connection & { readonly muxer: StreamMuxer }
  const sent = randomBytes(32)
  const stream: Stream = await connection.muxer.createStream()
  stream.send(Buffer.concat([line('/multistream/1.0.0'), line('/ipfs/ping/1.0.0'), sent]))
  await stream.close()
  const received: Uint8Array[] = []
  stream.addEventListener('message', ({ data }) => void received.push(data.subarray()))
  const answer = Buffer.concat([line('/multistream/1.0.0'), line('/ipfs/ping/1.0.0'), sent])
  await until('it comes back', () => answer.equals(Buffer.concat(received)))
  t.pass()
})

test('what a peer says of itself together with the end of its stream is taken', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  const peer = await libp2pNode(t)
  const connection = (await peer.dial(multiaddr(node.addresses()[0]!))) as Connection & { readonly muxer: StreamMuxer }
  const stream: Stream = await connection.muxer.createStream()
  const agent = Buffer.from('somebody/1.0')
  // field 6 of a message of identify, behind its length
  const message = Buffer.concat([Buffer.from([agent.length + 2, (6 << 3) | 2, agent.length]), agent])
  stream.send(Buffer.concat([line('/multistream/1.0.0'), line('/ipfs/id/push/1.0.0'), message]))
  await stream.close()
  await until('it is known', async () => (await node.network.peer(peer.peerId.toString()))?.agent === 'somebody/1.0')
  t.pass()
})
