/** A client that reads its answer only after it has sent all of its body, which is longer than both sides hold. */
import { once } from 'node:events'
import test from 'ava'
import { z } from 'zod'
import { command, files, stream } from '../../../../core/index.ts'
import { openTestRpc } from '../support/rpc.ts'

const FILES = 60_000
const PART = Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n')
const HEAD = [
  'POST /api/v0/tell HTTP/1.1',
  'Host: 127.0.0.1',
  'Content-Type: multipart/form-data; boundary=edge',
  'Transfer-Encoding: chunked',
  '',
  ''
].join('\r\n')

const tell = command.write('tell', {
  help: '',
  body: files('data', 'Anything.'),
  reply: stream(z.object({ Name: z.string() })),
  async *run(_, { body }) {
    for await (const part of body) {
      for await (const _ of part.bytes());
      yield { Name: 'x'.repeat(2000) }
    }
  }
})

const chunk = (data: Buffer) => Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')])

test('a client that reads nothing before it has sent all is told so, and its connection ends', async t => {
  const rpc = await openTestRpc(t, { commands: [tell], settings: { limits: { bodyTimeoutMs: 500 } } })
  const { socket, ...wire } = await rpc.wire().then(one => ({ socket: one.socket, one }))
  socket.pause()
  socket.write(HEAD)
  const many = chunk(Buffer.concat(Array(100).fill(PART)))
  for (let sent = 0; sent < FILES && !socket.destroyed; sent += 100)
    if (!socket.write(many)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  socket.write(`${chunk(Buffer.from('--edge--\r\n')).toString('latin1')}0\r\n\r\n`)
  socket.resume()
  const seen = await wire.one.end()
  t.regex(
    seen,
    /X-Stream-Error: the answer was not read for 500 ms while the request's body was still to come \(rpc\.limits\.bodyTimeoutMs\)/
  )
})

test('a client that reads slowly while it sends is answered to the end', async t => {
  const rpc = await openTestRpc(t, { commands: [tell], settings: { limits: { bodyTimeoutMs: 500 } } })
  const wire = await rpc.wire()
  wire.socket.write(HEAD)
  const many = chunk(Buffer.concat(Array(100).fill(PART)))
  for (let sent = 0; sent < 3_000; sent += 100) if (!wire.socket.write(many)) await once(wire.socket, 'drain')
  wire.socket.write(`${chunk(Buffer.from('--edge--\r\n')).toString('latin1')}0\r\n\r\n`)
  await wire.until(/\r\n0\r\n\r\n$/)
  t.is(wire.seen.match(/"Name"/g)?.length, 3_000)
})
