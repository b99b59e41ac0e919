/** What messages over HTTP may hold of a node before they are understood. */

import { createConnection, type Socket } from 'node:net'
import test from 'ava'
import { until } from '../../helpers/until.ts'
import { world } from './world.ts'

const FIELDS = 'Host: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n'

test('messages that are still coming share one bound, which is given back when their clients leave', async t => {
  const { url, connect } = await world(t, { limits: { inputBytes: 1000, maxInputs: 100_000 } })
  const sent = (announced: number, text: string) => {
    const socket: Socket & { seen?: string } = createConnection(Number(url.port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => {}).setEncoding('latin1')
    socket.on('data', text => {
      socket.seen = `${socket.seen ?? ''}${text}`
    })
    socket.write(`POST /mcp HTTP/1.1\r\n${FIELDS}Content-Length: ${announced}\r\n\r\n${text}`)
    return socket
  }
  const first = sent(90_000, ' '.repeat(60_000))
  // what the first one holds is not there for a second one, but for small ones
  let second = sent(90_000, ' '.repeat(60_000))
  await until('one of them is answered', () => first.seen !== undefined || second.seen !== undefined)
  const [refused, held] = first.seen === undefined ? [second, first] : [first, second]
  t.regex(refused.seen!, /^HTTP\/1\.1 503 [\s\S]*Connection: close[\s\S]*plugins\.mcp\.limits\.maxInputs/)
  t.is((await (await connect()).listTools()).tools.length > 0, true)
  held.destroy()
  for (;;) {
    second = sent(60_000, ' '.repeat(60_000))
    await until('it is answered', () => second.seen !== undefined)
    if (!second.seen!.startsWith('HTTP/1.1 503')) break
  }
  // all of it came: it is looked at, and is no message
  t.regex(second.seen!, /^HTTP\/1\.1 400 /)
})

test('a batch is refused without being read into values', async t => {
  const { url } = await world(t)
  const answer = await fetch(url, { method: 'POST', body: ' \n[[[', headers: { 'Content-Type': 'application/json' } })
  t.is(answer.status, 400)
  t.regex(await answer.text(), /it is a batch/)
})
