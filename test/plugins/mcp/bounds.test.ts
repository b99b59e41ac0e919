/** What hostile, broken and greedy clients, and endless answers, get. */

import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { until } from '../../helpers/until.ts'
import { call, textsOf, tries, world } from './world.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'hand', version: '0' } }
}
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

interface Answered {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

/** A request with header fields that no browser or `fetch` lets a program set. */
function send(url: URL, method: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers: { ...HEADERS, ...headers } }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', data => (text += data))
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
    })
    request.on('error', reject)
    request.end(typeof body === 'string' ? body : body && JSON.stringify(body))
  })
}

test('requests under a foreign name and from pages of other sites are turned away', async t => {
  const { url } = await world(t)
  t.is((await send(url, 'POST', {}, INITIALIZE)).status, 200)
  t.is((await send(url, 'POST', { Host: `evil.example:${url.port}` }, INITIALIZE)).status, 403)
  t.is((await send(url, 'POST', { Origin: 'https://evil.example' }, INITIALIZE)).status, 403)
  t.is((await send(url, 'POST', { 'Sec-Fetch-Site': 'cross-site' }, INITIALIZE)).status, 403)
})

test('a node takes as many sessions as its settings say, and one that is ended makes room', async t => {
  const { url } = await world(t, { limits: { sessions: 2 } })
  const first = await send(url, 'POST', {}, INITIALIZE)
  await send(url, 'POST', {}, INITIALIZE)
  const refused = await send(url, 'POST', {}, INITIALIZE)
  t.is(refused.status, 503)
  t.is(refused.headers['retry-after'], '1')
  t.regex(refused.text, /there are 2 sessions.*plugins\.mcp\.limits\.sessions/)
  const session = { 'Mcp-Session-Id': String(first.headers['mcp-session-id']) }
  t.is((await send(url, 'DELETE', session)).status, 200)
  t.is((await send(url, 'POST', session, { jsonrpc: '2.0', id: 2, method: 'tools/list' })).status, 404)
  t.is((await send(url, 'POST', {}, INITIALIZE)).status, 200)
})

test('a session without requests ends', async t => {
  const { url } = await world(t, { limits: { sessionIdleMs: 50 } })
  const { headers } = await send(url, 'POST', {}, INITIALIZE)
  const session = { 'Mcp-Session-Id': String(headers['mcp-session-id']) }
  await sleep(500)
  t.is((await send(url, 'POST', session, { jsonrpc: '2.0', id: 2, method: 'ping' })).status, 404)
})

test('the response to a call that is cancelled ends, without an answer', async t => {
  const { url, host } = await world(t, {}, [tries])
  const { headers } = await send(url, 'POST', {}, INITIALIZE)
  const session = { 'Mcp-Session-Id': String(headers['mcp-session-id']) }
  const hanging = send(url, 'POST', session, { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'try_hang' } })
  await until('the call runs', () => host.calls.running === 1)
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
  t.is((await send(url, 'POST', session, cancel)).status, 202)
  t.is((await hanging).text, '')
  t.is(host.calls.running, 0)
})

test('a session whose call runs does not end', async t => {
  const { url } = await world(t, { limits: { sessionIdleMs: 200 } }, [tries])
  const count = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'try_count', arguments: { to: '6', progress: true } } }
  let answered: Answered
  // on a busy machine the session may be over before the call has come
  do {
    const { headers } = await send(url, 'POST', {}, INITIALIZE)
    answered = await send(url, 'POST', { 'Mcp-Session-Id': String(headers['mcp-session-id']) }, count)
  } while (answered.status === 404)
  t.is(answered.status, 200)
  t.true(answered.text.includes('\\"N\\":5'))
})

test('requests that are none of the protocol are refused with a reason', async t => {
  const { url } = await world(t, { limits: { inputBytes: 1000 } })
  for (const [method, headers, body, status, why] of [
    ['GET', {}, undefined, 405, /GET is no method of this path/],
    ['POST', {}, 'what?', 400, /no message of the protocol/],
    ['POST', {}, [INITIALIZE], 400, /batch/],
    ['POST', {}, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 400, /begins with initialize/],
    ['POST', { 'Mcp-Session-Id': 'nobody' }, INITIALIZE, 404, /no such session/],
    ['POST', { Accept: 'text/html' }, INITIALIZE, 406, /Not Acceptable/],
    ['POST', {}, 'x'.repeat(1_100_000), 413, /longer than 1049912 bytes/],
    ['DELETE', {}, undefined, 400, /begins with initialize/]
  ] as const) {
    const answered = await send(url, method, headers, body)
    t.is(answered.status, status, String(why))
    t.regex(answered.text, why)
  }
})

test('a session that could not begin takes no room', async t => {
  const { url } = await world(t, { limits: { sessions: 1 } })
  t.is((await send(url, 'POST', { Accept: 'text/html' }, INITIALIZE)).status, 406)
  t.is((await send(url, 'POST', {}, INITIALIZE)).status, 200)
})

test('an answer without end is ended, and says which setting did', async t => {
  const { connect, host } = await world(t, { limits: { items: 5, characters: 2000, bytes: 200_000 } }, [tries])
  const client = await connect()
  const endless = await call(client, 'try_endless')
  t.true(endless.isError)
  t.regex(textsOf(endless)[0]!, /larger than 200000 bytes \(plugins\.mcp\.limits\.bytes\) \(E_MCP_ANSWER_SIZE\)/)
  const many = textsOf(await call(client, 'try_count', { to: '1e9' }))
  t.is(many[0]!.split('\n').length, 5)
  t.regex(many[1]!, /ended after 5 objects \(plugins\.mcp\.limits\.items\)/)
  const long = textsOf(await call(client, 'try_echo', { first: 'ü'.repeat(3000) }))
  t.is(long[0]!.length, 2000)
  t.regex(long[1]!, /cut after 2000 of \d+ characters/)
  await until('the call is over', () => host.calls.running === 0)
  t.is(host.calls.running, 0)
})

test('an answer whose length is known to be too much is not read, and says how to get a part', async t => {
  const { connect, host } = await world(t, { limits: { bytes: 1000 } })
  const { upload, itemsOf } = await import('../../../host/testing.ts')
  const [{ Hash }] = (await itemsOf(await host.call('add', { body: upload('x'.repeat(5000)) }))) as [{ Hash: string }]
  const client = await connect()
  t.regex(textsOf(await call(client, 'cat', { ipfsPath: [Hash] }))[0]!, /larger than 1000 bytes .*offset and length/)
  t.is(textsOf(await call(client, 'cat', { ipfsPath: [Hash], offset: 4000 }))[0]!.length, 1000)
  await t.throwsAsync(client.readResource({ uri: `ipfs://${Hash}` }), { message: /larger than 1000 bytes/ })
})

test('files beyond the bound are refused', async t => {
  const { connect } = await world(t, { commands: ['add'], limits: { inputBytes: 10 } })
  const client = await connect()
  await t.throwsAsync(call(client, 'add', { files: [{ text: 'x'.repeat(11) }] }), {
    message: /larger than 10 bytes together \(plugins\.mcp\.limits\.inputBytes\)/
  })
  t.falsy((await call(client, 'add', { files: [{ text: 'x'.repeat(10) }] })).isError)
})
