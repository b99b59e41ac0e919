/** Answers that wait behind another on their connection when that is gone: Node 22 tells the first one alone, Node 24 all of them. */
import { EventEmitter, once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import test from 'ava'
import { RAW } from '../../../core/cid/index.ts'
import { withDefaults } from '../../../host/http/settings.ts'
import { Slots } from '../../../host/http/slots.ts'
import { world } from '../../plugins/gateway/world.ts'

test('an answer that waits behind another is told once that its connection is gone', t => {
  const slots = new Slots(withDefaults({ limits: { concurrentRequests: 1 } }).limits)
  // as in Node 22: nothing but what the slots do tells of the end
  const socket = new EventEmitter() as Socket
  const request = new IncomingMessage(socket)
  const response = new ServerResponse(request)
  t.is(slots.take(request, response, 'a caller', false), undefined)
  let closed = 0
  response.on('close', () => closed++)
  socket.emit('close')
  t.deepEqual([closed, response.destroyed, response.closed], [1, true, true])
  socket.emit('close')
  t.is(closed, 1)
  t.is(slots.take(request, new ServerResponse(request), 'a caller', false), undefined)
})

test('the places of requests whose answers wait behind another come back when the client leaves', async t => {
  const at = await world(t, { settings: { limits: { requests: 4, requestsPerCaller: 4 } } })
  const large = Buffer.alloc(16 << 20, 'large')
  const { cids } = await at.add({ large })
  const block = await at.put(large, RAW)
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
  for (const path of [`/ipfs/${cids.get('large')}`, `/ipfs/${block}?format=raw`]) {
    const socket = connect(at.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(get(path).repeat(4))
    await once(socket, 'readable')
    t.is((await at.get('/ipfs/bafkqaaa')).status, 429)
    socket.resetAndDestroy()
    let status = 429
    while (status === 429) status = (await at.get('/ipfs/bafkqaaa')).status
    const readers = Array.from({ length: 4 }, () => connect(at.port, '127.0.0.1'))
    for (const reader of readers) {
      reader.write(get(`/ipfs/${cids.get('large')}`))
      const [head] = (await once(reader, 'data')) as [Buffer]
      reader.pause()
      t.regex(head.toString('latin1'), /^HTTP\/1\.1 200 /)
    }
    for (const reader of readers) reader.destroy()
    status = 429
    while (status === 429) status = (await at.get('/ipfs/bafkqaaa')).status
  }
})
