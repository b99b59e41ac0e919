import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import test from 'ava'
import { CID, nodeWith } from './host.ts'
import { json, manyPins, pinningService } from './service.ts'

test('a service that stalls, before its answer or within it, is given up after a time', async t => {
  const service = await pinningService(t)
  const { ls } = await nodeWith(t, service.url, { answerTimeout: 300 })
  const late = { code: 'E_REMOTE_UNREACHABLE', message: /no whole answer in 300 ms \(plugins\.remote-pins\.answerTimeout\)/ }
  service.instead = () => true
  await t.throwsAsync(ls(), late)
  service.instead = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.write('{"count":1,')
    return true
  }
  await t.throwsAsync(ls(), late)
})

test('an answer that never ends, or that unpacks to far more than it was, is left after so many bytes', async t => {
  const service = await pinningService(t)
  const { ls } = await nodeWith(t, service.url, { maxAnswer: 100_000 })
  let sent = 0
  service.instead = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const more = () => {
      while (!response.destroyed) {
        sent += 65_536
        if (!response.write(Buffer.alloc(65_536, 0x20))) return void response.once('drain', more)
      }
    }
    more()
    return true
  }
  const large = { code: 'E_REMOTE_UNREACHABLE', message: /more than 100000 bytes \(plugins\.remote-pins\.maxAnswer\)/ }
  await t.throwsAsync(ls(), large)
  t.true(sent < 64 * 1_048_576, `${sent} bytes`)
  const { gzipSync } = await import('node:zlib')
  const packed = gzipSync(Buffer.alloc(50_000_000, 0x20))
  service.instead = (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
    response.end(packed)
    return true
  }
  t.true(packed.length < 100_000)
  await t.throwsAsync(ls(), large)
})

test('a list that does not get on is left, and so is one that counts pins and sends none', async t => {
  const service = await pinningService(t)
  const { ls } = await nodeWith(t, service.url)
  service.instead = (_, response) => json(response, 200, { count: 1000, results: manyPins(3, CID) })
  await t.throwsAsync(ls(), { code: 'E_REMOTE_PAGES' })
  t.is(service.asked.length, 2)
  service.instead = (_, response) => json(response, 200, { count: 5, results: [] })
  await t.throwsAsync(ls(), {
    code: 'E_REMOTE_RESULTS',
    message: 'invalid pinning service response: PinResults.count=5 but no PinResults.results'
  })
})

test('a token that expires is told in the words of the service', async t => {
  const service = await pinningService(t)
  const { ls, rm, add } = await nodeWith(t, service.url)
  service.pins.push(...manyPins(150, CID))
  service.instead = () => {
    if (service.asked.length > 1) service.keys.clear()
    return false
  }
  const refused = 'reason: "UNAUTHORIZED", details: "the token is unknown or has expired": 401 Unauthorized'
  await t.throwsAsync(ls(), { code: 'E_REMOTE_REFUSED', message: refused })
  await t.throwsAsync(rm({ force: true }), { code: 'E_REMOTE_REFUSED', message: `error while listing remote pins: ${refused}` })
  await t.throwsAsync(add(), { message: refused })
  t.is(service.pins.length, 150)
})

test('refusals in other words are told by their status', async t => {
  const service = await pinningService(t)
  const { ls } = await nodeWith(t, service.url)
  const cases: ReadonlyArray<readonly [number, string, string, string]> = [
    [500, 'text/plain', 'oh', 'remote pinning service returned http error 500: undefined response type'],
    [503, 'application/json', '', 'reason: "", details: "": 503 Service Unavailable'],
    [404, 'application/json', '{"error":{"reason":"GONE"}}', 'reason: "GONE", details: "": 404 Not Found'],
    [200, 'text/html', '<p>', 'remote pinning service returned http error 200: undefined response type']
  ]
  for (const [status, type, body, message] of cases) {
    service.instead = (_, response) => {
      response.writeHead(status, { 'Content-Type': type })
      response.end(body)
      return true
    }
    await t.throwsAsync(ls(), { message }, message)
  }
})

test('what is no answer of the API is named by its member', async t => {
  const service = await pinningService(t)
  const { ls } = await nodeWith(t, service.url)
  const [pin] = manyPins(1, CID)
  const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
    ['x', /^invalid pinning service response: Invalid input/],
    [{ results: [] }, /: count: /],
    [{ count: 1, results: [{ ...pin, requestid: '' }] }, /: results\.0\.requestid: /],
    [{ count: 1, results: [{ ...pin, pin: { cid: 'nonsense' } }] }, /: the pin "r0": invalid cid/],
    [{ count: 1, results: [{ ...pin, created: 'yesterday' }] }, /: the pin "r0": .*yesterday/]
  ]
  for (const [value, message] of cases) {
    service.instead = (_, response) => json(response, 200, value)
    await t.throwsAsync(ls(), { code: 'E_REMOTE_ANSWER', message }, String(message))
  }
  service.instead = (_, response) => json(response, 200, { count: 1, results: [{ ...pin, status: 'dreaming', delegates: null }] })
  t.deepEqual(await ls(), [{ Status: '', Cid: CID, Name: 'n0' }])
})

test('nobody at the address, and one who hangs up, are told as such, and no name or password of the URL is', async t => {
  const quiet = createServer(socket => socket.destroy())
  quiet.listen(0, '127.0.0.1')
  await once(quiet, 'listening')
  const { port } = quiet.address() as AddressInfo
  const { ls, host } = await nodeWith(t, `http://me:hidden@127.0.0.1:${port}`)
  const torn = await t.throwsAsync(ls(), { code: 'E_REMOTE_UNREACHABLE' })
  t.false(torn!.message.includes('hidden'))
  await new Promise(resolve => quiet.close(resolve))
  const message = `empty response from remote pinning service: Get "http://127.0.0.1:${port}/pins?limit=100&status=pinned": dial tcp 127.0.0.1:${port}: connect: connection refused`
  await t.throwsAsync(ls(), { message })
  await host.call('pin/remote/service/add', { args: ['none', 'http:/', 'secret'] })
  await t.throwsAsync(ls({ service: 'none' }), { code: 'E_REMOTE_ENDPOINT' })
})

test('a key that no header field can hold is not sent, and not shown; one beyond ASCII is sent as UTF-8', async t => {
  const service = await pinningService(t)
  const bad = await nodeWith(t, service.url, {}, 'sec\nret')
  const error = await t.throwsAsync(bad.ls(), { code: 'E_REMOTE_KEY' })
  t.notRegex(error!.message, /sec|ret"/)
  t.deepEqual(service.asked, [])
  const good = await nodeWith(t, service.url, {}, 'schlüssel')
  service.keys.add(Buffer.from('schlüssel').toString('latin1'))
  t.deepEqual(await good.ls(), [])
})

test('a redirect to another origin gets no key', async t => {
  const [service, other] = [await pinningService(t), await pinningService(t)]
  const { ls } = await nodeWith(t, service.url)
  service.instead = (_, response) => {
    response.writeHead(307, { Location: `${other.url}/pins` }).end()
    return true
  }
  await t.throwsAsync(ls(), { code: 'E_REMOTE_REFUSED' })
  t.is(other.asked.length, 1)
  t.is(other.asked[0]!.headers.authorization, undefined)
})
