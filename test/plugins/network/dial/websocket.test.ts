import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { MultiaddrConnection, Upgrader } from '@libp2p/interface'
import { defaultLogger } from '@libp2p/logger'
import { webSockets } from '@libp2p/websockets'
import { multiaddr } from '@multiformats/multiaddr'
import { multiaddrToUri } from '@multiformats/multiaddr-to-uri'
import test from 'ava'
import { endingWebSockets } from '../../../../plugins/network/dial/websocket.ts'

/** The key by which a WebSocket is accepted (RFC 6455). */
const accept = (key: string) => createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

test('what a peer sends over a WebSocket together with its answer is read by who listens a little later', async t => {
  const server = createServer(socket => {
    socket.once('data', request => {
      const key = /sec-websocket-key: (\S+)/i.exec(`${request}`)![1]!
      const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept(key)}\r\n\r\n`
      // a whole binary frame of five octets
      socket.write(Buffer.concat([Buffer.from(head), Buffer.from([0x82, 5]), Buffer.from('hello')]))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const heard = Promise.withResolvers<string>()
  const upgrader = {
    async upgradeOutbound(connection: MultiaddrConnection) {
      for (let i = 0; i < 5; i++) await turn()
      connection.addEventListener('message', ({ data }) => heard.resolve(Buffer.from(data.subarray()).toString()))
      t.is(await heard.promise, 'hello')
      connection.abort(new Error('over'))
      return connection
    }
  } as unknown as Upgrader
  const components = { logger: defaultLogger(), events: new EventTarget() }
  const transport = endingWebSockets(webSockets() as unknown as Parameters<typeof endingWebSockets>[0], multiaddrToUri, {
    most: 1,
    time: 1000,
    refused() {}
  })(components)
  const { port } = server.address() as AddressInfo
  await transport.dial(multiaddr(`/ip4/127.0.0.1/tcp/${port}/ws`), { upgrader, signal: AbortSignal.timeout(20_000) })
})
