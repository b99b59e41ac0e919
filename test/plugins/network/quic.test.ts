import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { PacedStream } from '../../../plugins/network/quic/pacing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { comesBack, onlineNode, waitsForReader } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const NOTHING = {
  id: () => '1',
  write: async () => {},
  finishWrite: async () => {},
  resetWrite: async () => {},
  stopRead: async () => {}
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
  const unread = { readBufferLength: 0 }
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
