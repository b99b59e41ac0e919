import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test from 'ava'
import { all } from './support/commands.ts'
import { openTestRpc } from './support/rpc.ts'

test('CONNECT is refused, an upgrade is not looked at', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const tunnel = await rpc.wire()
  tunnel.ask('CONNECT example.com:80 HTTP/1.1')
  t.regex(await tunnel.end(), /^HTTP\/1\.1 405 Method Not Allowed\r\n/)
  const upgrade = await rpc.wire()
  upgrade.ask('POST /api/v0/one HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 0'])
  t.regex(await upgrade.until(/0\r\n\r\n$/), /^HTTP\/1\.1 200 OK\r\n/)
})

test('CONNECT behind a request that is not answered yet ends the connection, and is not answered in its place', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/one HTTP/1.1', ['Content-Length: 0'])
  wire.ask('CONNECT example.com:80 HTTP/1.1')
  t.notRegex(await wire.end(), /^HTTP\/1\.1 (?:200 OK|405 Method Not Allowed)\r\nContent-Length: 0\r\n/)
  t.is((await rpc.post('one')).status, 200)
})

test('a client that breaks off a CONNECT, or never ends it, takes no more than its own connection', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const accepted: Socket[] = []
  const see = (message: unknown) => accepted.push((message as { socket: Socket }).socket)
  const otherSide = (socket: Socket) => accepted.find(one => one.remotePort === socket.localPort)!
  subscribe('net.server.socket', see)
  t.teardown(() => unsubscribe('net.server.socket', see))
  const broken = await rpc.wire()
  broken.ask('CONNECT example.com:80 HTTP/1.1')
  await broken.until(/\r\n\r\n$/)
  // what a write to a connection that was reset ends in
  otherSide(broken.socket).destroy(new Error('write ECONNRESET'))
  await broken.end()
  const open = connect({ host: '127.0.0.1', port: rpc.port, allowHalfOpen: true })
  open.on('error', () => {})
  open.write('CONNECT example.com:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  await once(open, 'data')
  const kept = otherSide(open)
  if (!kept.destroyed) await once(kept, 'close')
  t.true(kept.destroyed)
  open.destroy()
  t.is((await rpc.post('one')).status, 200)
})

const FRAMES: ReadonlyArray<[what: string, lines: string[]]> = [
  [
    'a length and chunks',
    [
      'POST /api/v0/one HTTP/1.1',
      'Host: localhost',
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
      '',
      '0',
      '',
      'POST /api/v0/nope HTTP/1.1'
    ]
  ],
  ['two lengths', ['POST /api/v0/one HTTP/1.1', 'Host: localhost', 'Content-Length: 5', 'Content-Length: 6', '', 'hello']],
  ['a length below zero', ['POST /api/v0/one HTTP/1.1', 'Host: localhost', 'Content-Length: -1', '', '']],
  ['a length that is no number', ['POST /api/v0/one HTTP/1.1', 'Host: localhost', 'Content-Length: 5, 5x', '', 'hello']],
  ['another coding than chunks', ['POST /api/v0/one HTTP/1.1', 'Host: localhost', 'Transfer-Encoding: chunked, gzip', '', '0', '', '']],
  ['a blank before a colon', ['POST /api/v0/one HTTP/1.1', 'Host: localhost', 'Content-Length : 5', '', 'hello']],
  ['no host', ['POST /api/v0/one HTTP/1.1', '', '']],
  ['a zero byte', ['POST /api/v0/one HTTP/1.1', 'Host: localhost', 'X: a\0b', '', '']],
  ['no HTTP', ['hello', '', '']]
]

for (const [what, lines] of FRAMES) {
  test(`${what}: refused, nothing runs, others are served`, async t => {
    const rpc = await openTestRpc(t, { commands: all })
    const wire = await rpc.wire()
    wire.say(...lines)
    const answer = await wire.end()
    t.regex(answer, /^HTTP\/1\.1 400 /)
    t.notRegex(answer, /HTTP\/1\.1 (?:200|404)/)
    t.is((await rpc.post('one')).status, 200)
  })
}

test('a broken chunk ends the upload as an error', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/echo HTTP/1.1', ['Content-Type: multipart/form-data; boundary=edge', 'Transfer-Encoding: chunked'])
  wire.say('zz', 'x', '')
  t.notRegex(await wire.end(), /HTTP\/1\.1 200/)
  t.is((await rpc.post('one')).status, 200)
})

test('who is still sending what cannot be read gets the answer all the same', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  for (let round = 0; round < 10; round++) {
    const wire = await rpc.wire()
    wire.socket.pause()
    wire.socket.write(`POST /api/v0/one HTTP/1.1\r\nX: ${'x'.repeat(8 << 20)}`)
    await once(wire.socket, 'drain')
    wire.socket.resume()
    t.is(await wire.end(), 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n')
  }
})

test('a body that cannot be read ends its command at once', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/parts HTTP/1.1', ['Content-Type: multipart/form-data; boundary=b', 'Transfer-Encoding: chunked'], 'zz\r\n')
  t.is(await wire.end(), 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
})
