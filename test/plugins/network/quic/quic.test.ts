import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quic } from '@chainsafe/libp2p-quic'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import type { Libp2pOptions } from 'libp2p'
import { PacedStream } from '../../../../plugins/network/quic/pacing.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { libp2pNode } from '../../../helpers/libp2p.ts'
import { comesBack, onlineNode, waitsForReader } from '../../../helpers/online.ts'
import { gathered } from '../../../helpers/streams.ts'
import { until } from '../../../helpers/until.ts'
import { lossyLink } from './lossy.ts'

const NOTHING = {
  id: () => '1',
  write: async () => {},
  finishWrite: async () => {},
  resetWrite: async () => {},
  stopRead: async () => {}
}

/** Where bytes lie, be it seen through one view or another. */
const buffers: ArrayBufferLike[] = []
function placeOf({ buffer, byteOffset, length }: Uint8Array): string {
  if (!buffers.includes(buffer)) buffers.push(buffer)
  return `${buffers.indexOf(buffer)} ${byteOffset} ${length}`
}

const QUIC = { node: { 'Addresses.Swarm': ['/ip4/127.0.0.1/udp/0/quic-v1'] } }

test('two nodes connect over QUIC, and each knows what the other says of itself', async t => {
  const [a, b] = await Promise.all([onlineNode(t, QUIC), onlineNode(t, QUIC)])
  const [address] = b.network.listening()
  t.regex(address!, /^\/ip4\/127\.0\.0\.1\/udp\/\d+\/quic-v1$/)
  const connection = await a.network.dial(b.network.self, [address as string])
  t.is(connection.peer, b.network.self)
  t.is(connection.address, address as string)
  await until('the other side knows as well', async () => (await b.network.peer(a.network.self))?.agent === a.network.agent)
  t.true((await a.network.ping(b.network.self)) >= 0)
  await connection.close()
  await until('both have closed it', () => a.network.connections().length + b.network.connections().length === 0)
})

test('who answers over QUIC and is another than was dialled is refused', async t => {
  const [a, b, c] = await Promise.all([onlineNode(t, QUIC), onlineNode(t, QUIC), onlineNode(t, QUIC)])
  await t.throwsAsync(a.network.dial(c.network.self, b.network.listening()), {
    code: 'E_DIAL',
    message: new RegExp(`peer id mismatch: expected ${c.network.self}, but remote key matches ${b.network.self}$`, 'm')
  })
  t.deepEqual(a.network.connections(), [])
})

test('octets go both ways over a stream of QUIC, and its end is seen', async t => {
  const [a, b] = await Promise.all([onlineNode(t, QUIC), onlineNode(t, QUIC)])
  await b.network.handle('/x/echo', async stream => {
    for await (const part of stream) await stream.write(part)
  })
  await a.network.dial(b.network.self, b.network.listening())
  const stream = await a.network.open(b.network.self, '/x/echo')
  await comesBack(t, stream)
})

test.serial('what is written in parts arrives as one, and large parts go to the binding as they are', async t => {
  const [a, b] = await Promise.all([onlineNode(t, QUIC), onlineNode(t, QUIC)])
  const parts = [0, 10, 300_000, 0, 0, 1, 70_000, 20_000, 3].map(size => randomBytes(size))
  const written: Uint8Array[] = []
  const { write } = PacedStream.prototype
  PacedStream.prototype.write = function (bytes) {
    written.push(bytes)
    return write.call(this, bytes)
  }
  t.teardown(() => {
    PacedStream.prototype.write = write
  })
  const arrived = Promise.withResolvers<Buffer>()
  await b.network.handle('/x/parts', async stream => arrived.resolve(await gathered(stream)))
  await a.network.dial(b.network.self, b.network.listening())
  const stream = await a.network.open(b.network.self, '/x/parts')
  await stream.write(parts)
  await stream.end()
  t.true((await arrived.promise).equals(Buffer.concat(parts)))
  const places = new Set(written.map(placeOf))
  for (const part of parts.filter(({ length }) => length > 32_000)) t.true(places.has(placeOf(part)), `${part.length} bytes were copied`)
})

test('a writer over QUIC waits for a reader that is slow, and nothing is lost', async t => {
  const [a, b] = await Promise.all([onlineNode(t, QUIC), onlineNode(t, QUIC)])
  await waitsForReader(t, a, b, b.network.listening())
})

test('a node where QUIC is off, and one in a private network, have no transport for it', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  await mkdir(repo)
  await writeFile(join(repo, 'swarm.key'), `/key/swarm/psk/1.0.0/\n/base16/\n${'ab'.repeat(32)}\n`)
  const [off, hidden, b] = await Promise.all([
    onlineNode(t, { node: { 'Swarm.Transports.Network.QUIC': false } }),
    onlineNode(t, { repo }),
    onlineNode(t, QUIC)
  ])
  for (const { network } of [off, hidden])
    await t.throwsAsync(network.dial(b.network.self, b.network.listening()), { message: /no transport for protocol/ })
})

test('what is read of a stream waits while much of it lies unread', async t => {
  const stream = new PacedStream({ ...NOTHING, read: async most => new Uint8Array(most) })
  const unread = { readBufferLength: 0, protocol: 'x' }
  stream.follow(unread)
  t.is((await stream.read(4096))?.length, 65536)
  unread.readBufferLength = 2 ** 20 + 1
  let isRead = false
  const reading = stream.read(4096).then(() => {
    isRead = true
  })
  await new Promise(resolve => setTimeout(resolve, 200))
  t.false(isRead)
  unread.readBufferLength = 0
  await reading
})

/** A stream of the binary, and a connection's way to one. */
interface Native {
  write(bytes: Uint8Array): Promise<void>
  finishWrite(): Promise<void>
  stopRead(): Promise<void>
  read(most: number): Promise<Uint8Array | null>
}
interface NativeConnection {
  readonly muxer: { readonly init: { readonly connection: { outboundStream(): Promise<Native> } } }
}

/** A line of multistream-select, behind its length. */
const line = (text: string) => Buffer.from(`${String.fromCharCode(text.length + 1)}${text}\n`)

/** A peer of plain libp2p that is connected over QUIC and opens streams by the binary. */
async function rawPeer(t: ExecutionContext, address: string): Promise<() => Promise<Native>> {
  const peer = await libp2pNode(t, { transports: [quic()], addresses: { listen: [] } } as Libp2pOptions)
  const connection = (await peer.dial(multiaddr(address))) as unknown as NativeConnection
  const { connection: native } = connection.muxer.init
  return () => native.outboundStream()
}

for (const [when, stopsFirst] of [
  ['before it reads anything', true],
  ['once it has written', false]
] as const)
  test(`a peer that cancels reading ${when} opens streams over QUIC without end`, async t => {
    const node = await onlineNode(t, QUIC)
    let served = Promise.withResolvers<void>()
    await node.network.handle('/x/one-way', async stream => {
      for await (const _ of stream);
      served.resolve()
    })
    const open = await rawPeer(t, node.addresses()[0]!)
    for (let i = 1; i <= 600; i++) {
      served = Promise.withResolvers()
      const stream = await open()
      if (stopsFirst) await stream.stopRead()
      await stream.write(Buffer.concat([line('/multistream/1.0.0'), line('/x/one-way'), Buffer.from('message')]))
      await stream.finishWrite()
      if (!stopsFirst) await stream.stopRead()
      await served.promise
    }
    t.is(node.network.connections().length, 1)
  })

test('over a link that loses one datagram in twenty, all that is written over QUIC before the end arrives, both ways', async t => {
  const node = await onlineNode(t, QUIC)
  const port = await lossyLink(t, Number(node.network.listening()[0]!.split('/')[4]), 0.05)
  const sent = randomBytes(100_000)
  const heard: string[] = []
  await node.network.handle('/x/answer', stream => stream.write(sent))
  await node.network.handle('/x/one-way', async stream => void heard.push(`${await gathered(stream)}`))
  const open = await rawPeer(t, `/ip4/127.0.0.1/udp/${port}/quic-v1/p2p/${node.network.self}`)
  const answer = async () => {
    const stream = await open()
    await stream.write(Buffer.concat([line('/multistream/1.0.0'), line('/x/answer')]))
    await stream.finishWrite()
    const parts: Uint8Array[] = []
    for (let part = await stream.read(4096); part !== null; part = await stream.read(4096)) parts.push(part)
    return Buffer.concat(parts)
  }
  const tell = async (message: string) => {
    const stream = await open()
    await stream.write(Buffer.concat([line('/multistream/1.0.0'), line('/x/one-way'), Buffer.from(message)]))
    await stream.finishWrite()
    await stream.stopRead()
  }
  const messages = Array.from({ length: 300 }, (_, i) => `message ${i}`)
  for (let at = 0; at < messages.length; at += 20) {
    const [answered] = await Promise.all([answer(), ...messages.slice(at, at + 20).map(tell)])
    t.true(Buffer.concat([line('/multistream/1.0.0'), line('/x/answer'), sent]).equals(answered))
    await until('all were heard', () => heard.length === at + 20)
  }
  t.deepEqual(heard.toSorted(), messages.toSorted())
})
