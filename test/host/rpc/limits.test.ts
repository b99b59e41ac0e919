import test from 'ava'
import { z } from 'zod'
import { command, value } from '../../../core/index.ts'
import { all } from './support/commands.ts'
import { holding } from './support/hold.ts'
import { form, openTestRpc } from './support/rpc.ts'
import { bodyOf, type Wire } from './support/wire.ts'

async function answer(wire: Wire): Promise<[status: number, body: string]> {
  const text = await wire.until(/\r\n\r\n[\s\S]*\n$/)
  return [Number(text.slice(9, 12)), bodyOf(text)]
}

test('the size of a header is bounded, path and separators included', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { limits: { headerBytes: 2000 } } })
  const path = '/api/v0/one'
  const fields = ['Host', '127.0.0.1', 'Content-Length', '0', 'X']
  const others = path.length + [...fields].reduce((sum, text) => sum + text.length + 2, 0) + 2
  const sized = async (size: number) => {
    const wire = await rpc.wire()
    wire.ask(`POST ${path} HTTP/1.1`, ['Content-Length: 0', `X: ${'x'.repeat(size - others)}`])
    return answer(wire)
  }
  t.is((await sized(2000))[0], 200)
  t.deepEqual(await sized(2001), [431, 'header too large: this node takes 2000 bytes (rpc.limits.headerBytes)\n'])
  const wire = await rpc.wire()
  wire.ask(
    'POST /api/v0/one HTTP/1.1',
    Array.from({ length: 2000 }, (_, i) => `X-${i}: ${'x'.repeat(1000)}`)
  )
  t.regex(await wire.end(), /^HTTP\/1\.1 431 /)
})

test('the size of a query is bounded', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { limits: { queryBytes: 3000 } } })
  const sized = async (size: number) => {
    const wire = await rpc.wire()
    wire.ask(`POST /api/v0/one?x=${'x'.repeat(size - 2)} HTTP/1.1`, ['Content-Length: 0'])
    return answer(wire)
  }
  t.is((await sized(3000))[0], 200)
  t.deepEqual(await sized(3001), [414, 'query too long: this node takes 3000 bytes (rpc.limits.queryBytes)\n'])
})

test('the number of arguments is bounded, whether they come in the query or in a body', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { limits: { arguments: 3 } } })
  const told = async (query: string, lines?: string) => {
    const response = await rpc.post(`say${query}`, lines === undefined ? undefined : form(lines))
    return [response.status, await response.text()] as const
  }
  const tooMany = 'too many arguments: this node takes 3 in one call (rpc.limits.arguments)'
  t.is((await told('/1?arg=2&arg=3'))[0], 200)
  t.deepEqual(await told('/1?arg=2&arg=3&arg=4'), [400, `${tooMany}\n`])
  t.is((await told('?arg=1', '2\n3\n'))[0], 200)
  t.deepEqual(await told('?arg=1', '2\n3\n4\n'), [400, `{"Message":"${tooMany}","Code":1,"Type":"error"}\n`])
})

test('the size of the arguments in a body is bounded', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { limits: { argumentBytes: 2000 } } })
  t.is((await rpc.post('say', form('x'.repeat(2000)))).status, 200)
  const response = await rpc.post('say', form('x'.repeat(2001)))
  t.deepEqual(
    [response.status, await response.text()],
    [400, 'arguments too long: this node takes 2000 bytes of them in a body (rpc.limits.argumentBytes)\n']
  )
})

test('the number of parts is bounded', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { limits: { parts: 2 } } })
  t.is(await (await rpc.post('echo', form('a', 'b'))).text(), 'ab')
  await t.throwsAsync(async () => (await rpc.post('echo', form('a', 'b', 'c'))).text())
})

test('the size of a part’s header is bounded', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { limits: { partHeaderBytes: 300 } } })
  const sized = async (size: number) => {
    const response = await rpc.post('parts', form({ head: ['Content-Disposition: x', `X: ${'x'.repeat(size - 31)}`], data: '' }))
    return [response.status, (await response.json()) as unknown]
  }
  t.is((await sized(300))[0], 200)
  t.deepEqual(await sized(301), [500, { Message: 'multipart: message too large', Code: 0, Type: 'error' }])
})

test('the number of requests that run at a time is bounded, and one that ends makes room', async t => {
  const waiting: Array<() => void> = []
  let arrived = () => {}
  const hold = command.read('hold', {
    help: '',
    reply: value(z.looseObject({})),
    run: () =>
      new Promise<Record<string, unknown>>(resolve => {
        waiting.push(() => resolve({}))
        arrived()
      })
  })
  const rpc = await openTestRpc(t, { commands: [...all, hold], settings: { limits: { concurrentRequests: 2 } } })
  const held: Array<Promise<Response>> = []
  for (let i = 0; i < 2; i++) {
    const there = new Promise<void>(resolve => {
      arrived = resolve
    })
    held.push(rpc.post('hold'))
    await there
  }
  const refused = await rpc.post('one')
  t.is(refused.status, 503)
  t.is(refused.headers.get('retry-after'), '1')
  t.regex(await refused.text(), /already runs 2 requests/)
  waiting.shift()!()
  await (await held[0]!).text()
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/one HTTP/1.1', ['Content-Length: 0'])
  t.is((await answer(wire))[0], 200)
  waiting.shift()!()
  await (await held[1]!).text()
})

test('callers that have left make room', async t => {
  const { hold, arrived } = holding()
  const rpc = await openTestRpc(t, { commands: [...all, hold], settings: { limits: { concurrentRequests: 1 } } })
  for (let i = 0; i < 3; i++) {
    const wire = await rpc.wire()
    wire.ask('POST /api/v0/hold HTTP/1.1', ['Content-Length: 0'])
    await arrived()
    wire.leave()
    let status = 503
    while (status === 503) status = (await rpc.post('one')).status
    t.is(status, 200)
  }
})

test('a header that does not come to its end in time closes the connection', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { limits: { headerTimeoutMs: 60 } } })
  const [silent, slow] = [await rpc.wire(), await rpc.wire()]
  slow.say('POST /api/v0/one HTTP/1.1', 'Host: 127.0.0.1', '')
  t.regex(await slow.end(), /^(?:HTTP\/1\.1 408 |$)/)
  await silent.end()
})

test('an idle connection is closed, one between requests after its own time', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { limits: { keepAliveMs: 50 } } })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/one HTTP/1.1', ['Content-Length: 0'])
  await wire.until(/0\r\n\r\n$/)
  await wire.end()
  t.pass()
})

test('a connection that is silent while a request runs is closed only where the settings say so', async t => {
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
  const hold = command.read('hold', { help: '', reply: value(z.looseObject({})), run: () => promise })
  const rpc = await openTestRpc(t, { commands: [hold], settings: { limits: { idleTimeoutMs: 50 } } })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/hold HTTP/1.1', ['Content-Length: 0'])
  t.is(await wire.end(), '')
  resolve({})
})
