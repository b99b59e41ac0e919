import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import test from 'ava'
import { redirect } from '../../../host/http/responses.ts'
import { until } from '../../helpers/until.ts'

test('a client has two minutes to take redirections that it asked for, and its connection is broken off then', async t => {
  // more than lies in the buffers of a connection
  const server = createServer((request, response) => redirect(request, response, 301, `/${'x'.repeat(500_000)}`))
  const connected = once(server, 'connection')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(20))
  const [socket] = (await connected) as [Socket]
  await until('an answer waits for its client', () => socket.writableLength > 0)
  await until('its time has begun', () => socket.timeout === 120_000)
  const closed = once(socket, 'close')
  // as when it is over
  socket.emit('timeout')
  await closed
  t.true(socket.destroyed)
})
