import test from 'ava'
import { comesBack, onlineNode, waitsForReader } from '../../helpers/online.ts'
import { gathered } from '../../helpers/streams.ts'
import { until } from '../../helpers/until.ts'

const NOBODY = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'

test('two nodes connect, and each knows what the other says of itself', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  const connection = await a.network.dial(b.network.self, b.network.announced())
  t.is(connection.peer, b.network.self)
  t.is(connection.direction, 'outbound')
  const known = await a.network.peer(b.network.self)
  t.deepEqual(known?.addresses, b.network.announced())
  t.deepEqual(known?.protocols, b.network.protocols())
  t.regex(known?.agent ?? '', /^holdfast\/\d/)
  await until('the other side knows as well', async () => (await b.network.peer(a.network.self))?.agent === a.network.agent)
  t.is((await a.network.dial(b.network.self)).id, connection.id, 'a second dial finds the connection that is open')
  t.true((await a.network.ping(b.network.self)) >= 0)
  t.not(a.network.latency(b.network.self), undefined)
})

test('octets go both ways over a stream, more than the two sides hold, and its end is seen', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  await b.network.handle('/x/echo', async stream => {
    for await (const part of stream) await stream.write(part)
  })
  const stream = await a.network.open(b.network.self, '/x/echo').catch(async () => {
    await a.network.dial(b.network.self, b.network.announced())
    return a.network.open(b.network.self, '/x/echo')
  })
  await comesBack(t, stream)
})

test('a writer waits for a reader that is slow, and the stream holds little meanwhile', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  await waitsForReader(t, a, b, b.network.announced())
  t.pass()
})

test('a stream that is torn is an error for who reads it, and a handler that throws tears it', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  await b.network.handle('/x/bad', async stream => {
    await stream.write(Buffer.from('so far'))
    throw new Error('no further')
  })
  await a.network.dial(b.network.self, b.network.announced())
  // it may be torn before it is there
  const read = async () => gathered(await a.network.open(b.network.self, '/x/bad'))
  await t.throwsAsync(read(), { code: 'E_STREAM' })
  await t.throwsAsync(a.network.open(b.network.self, '/x/none'), {
    code: 'E_PROTOCOL',
    message: `${b.network.self} speaks none of /x/none`
  })
})

test('a dial that fails names every address with what is wrong', async t => {
  const { network } = await onlineNode(t)
  await t.throwsAsync(network.dial(NOBODY, ['/ip4/127.0.0.1/tcp/1', '/ip4/127.0.0.1/udp/9']), {
    code: 'E_DIAL',
    message: [
      `failed to dial: failed to dial ${NOBODY}: all dials failed`,
      '  * [/ip4/127.0.0.1/udp/9] no transport for protocol',
      '  * [/ip4/127.0.0.1/tcp/1] dial tcp4 127.0.0.1:1: connect: connection refused'
    ].join('\n')
  })
  await t.throwsAsync(network.dial(network.self), { code: 'E_DIAL_SELF' })
  await t.throwsAsync(network.dial(NOBODY), { code: 'E_NO_PEERS_TO_ASK', message: 'failed to find any peer in table' })
})

test('who has another key than the one that was asked for gets no connection', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  await t.throwsAsync(a.network.dial(NOBODY, b.network.announced()), {
    code: 'E_DIAL',
    message: new RegExp(
      `failed to negotiate security protocol: peer id mismatch: expected ${NOBODY}, but remote key matches ${b.network.self}$`
    )
  })
  t.deepEqual(a.network.connections(), [])
})

test('a connection outlives the signal and the time of the dial that made it', async t => {
  const settings = { dialTimeout: 3_000, dialTimeoutPrivate: 3_000, connectTimeout: 3_000 }
  const [a, b] = await Promise.all([onlineNode(t, { network: settings }), onlineNode(t)])
  const controller = new AbortController()
  const dial = () => a.network.dial(b.network.self, b.network.announced(), { signal: controller.signal }).catch(() => undefined)
  const { id } = await until('they are connected', dial)
  const dialled = Date.now()
  controller.abort()
  await until('the time of the dial is over', () => Date.now() - dialled > 3_500)
  t.deepEqual(
    a.network.connections().map(connection => connection.id),
    [id]
  )
  t.true((await a.network.ping(b.network.self)) >= 0)
})

test('what was said of a peer can be taken back when the network has stopped; nothing else can be said then', async t => {
  const { host, network } = await onlineNode(t)
  await network.tag(NOBODY, 'x', 1)
  network.protect(NOBODY, 'x')
  await host.stop()
  await t.notThrowsAsync(network.tag(NOBODY, 'x', 0))
  t.notThrows(() => network.unprotect(NOBODY, 'x'))
  await t.throwsAsync(network.tag(NOBODY, 'x', 1), { code: 'E_NETWORK_STOPPED' })
})

test('a reader that takes a little now and then holds its peer up, and gets all in the end', async t => {
  const [near, far] = await Promise.all([onlineNode(t), onlineNode(t)])
  const size = 96 << 20
  const piece = new Uint8Array(1 << 20)
  let written = 0
  await far.network.handle('/x/much', async stream => {
    for (; written < size; written += piece.length) await stream.write(piece)
  })
  await near.network.dial(far.network.self, far.network.announced())
  const stream = await near.network.open(far.network.self, '/x/much')
  let read = 0
  let held = 0
  for await (const part of stream) {
    const before = Math.floor(read / (4 << 20))
    read += part.length
    if (read > size / 4 || Math.floor(read / (4 << 20)) === before) continue
    // as long as the peer goes on
    for (let last = -1; last !== written; ) {
      last = written
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    held = Math.max(held, written - read)
  }
  t.is(read, size)
  t.true(held < 48 << 20, `${held >> 20} MiB were on their way`)
})

test('what is heard of a peer at the same time is all kept', async t => {
  const { network } = await onlineNode(t)
  const addresses = Array.from({ length: 20 }, (_, i) => `/ip4/192.0.2.${i + 1}/tcp/4001`)
  await Promise.all(addresses.map(address => network.remember(NOBODY, [address])))
  t.deepEqual((await network.peer(NOBODY))?.addresses, addresses.sort())
})
