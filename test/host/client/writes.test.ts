import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import type { Part } from '../../../host/client/content.ts'
import { httpTransport } from '../../../host/client/http-transport.ts'
import { sendingOf } from '../../../host/client/upload.ts'
import { gathered } from '../../helpers/streams.ts'

/** Sends parts to a server of its own. @returns the answer */
async function post(t: ExecutionContext, parts: AsyncIterable<Part>, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { contentType, body } = await sendingOf(parts, true)
  const { signal } = new AbortController()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { chunks } = await httpTransport().post(url, { headers: { 'Content-Type': contentType }, body, signal })
  return (await gathered(chunks)).toString()
}

test('many small files go out in few writes', async t => {
  const FILES = 1000
  const BYTES = 100
  const parts = async function* (): AsyncGenerator<Part> {
    for (let i = 0; i < FILES; i++) yield { path: `file-${i}`, content: Buffer.alloc(BYTES, 'x') }
  }
  let pieces = 0
  let text = ''
  await post(t, parts(), (request, response) => {
    request.on('data', data => {
      pieces++
      text += data
    })
    request.on('end', () => response.end())
  })
  t.is(text.match(/x{100}/g)?.length, FILES)
  // each write is a chunk of the transfer, and a chunk is told of by itself
  t.true(pieces < 20, `${pieces} pieces`)
})

test('what is there is sent, though the next part waits for the answer to it', async t => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const parts = async function* (): AsyncGenerator<Part> {
    yield { path: 'first', content: 'one' }
    await answered
    yield { path: 'second', content: 'two' }
  }
  let text = ''
  await post(t, parts(), (request, response) => {
    request.on('data', data => {
      text += data
      if (text.includes('\r\n\r\none')) answer()
    })
    request.on('end', () => response.end())
  })
  t.regex(text, /\r\n\r\none\r\n--.*\r\n\r\ntwo\r\n--/s)
})
