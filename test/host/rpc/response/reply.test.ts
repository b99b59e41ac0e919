import test from 'ava'
import { z } from 'zod'
import { bytes, command, either, nothing, p, stream, value } from '../../../../core/index.ts'
import { all, fakeErrors } from '../support/commands.ts'
import { form, openTestRpc } from '../support/rpc.ts'
import { bodyOf, fieldsOf } from '../support/wire.ts'

const EXPOSED = 'X-Stream-Output, X-Chunked-Output, X-Content-Length'
const COMMON = {
  'access-control-allow-headers': EXPOSED,
  'access-control-expose-headers': EXPOSED,
  server: 'kubo/0.28.0',
  trailer: 'X-Stream-Error',
  vary: 'Origin'
}

function headers(response: Response): Record<string, string> {
  const { date: _, connection: __, 'keep-alive': ___, ...others } = Object.fromEntries(response.headers)
  return others
}

test('one object is one line of JSON, chunked', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const response = await rpc.post('one')
  t.is(response.status, 200)
  t.deepEqual(headers(response), { ...COMMON, 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
  t.is(await response.text(), '{"Text":"\\u003c\\u0026\\u003e\\u2028é","Nothing":null}\n')
})

test('a stream says so even where it is short or empty', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  for (const [count, body] of [
    [2, '{"N":0}\n{"N":1}\n'],
    [1, '{"N":0}\n'],
    [0, '']
  ] as const) {
    const response = await rpc.post(`count?count=${count}`)
    t.deepEqual(headers(response), {
      ...COMMON,
      'content-type': 'application/json',
      'x-chunked-output': '1',
      'transfer-encoding': 'chunked'
    })
    t.is(await response.text(), body)
  }
})

const listed = command.read('listed', {
  help: 'Numbers that are all there.',
  options: { count: p.int('How many.').default(1), of: p.string('Their text.').default('') },
  reply: stream(z.object({ N: z.int(), Text: z.string() })),
  text({ N, Text }) {
    if (Text === 'broken') throw fakeErrors.E_FAKE('no text for it')
    return `${N}: ${Text}\n`
  },
  run: async (_, { options }) => Array.from({ length: options.count }, (_one, N) => ({ N, Text: options.of }))
})

test('a stream that is all there is answered as one that comes', async t => {
  const calls = () => rpc.host.calls.running
  const rpc = await openTestRpc(t, { commands: [listed] })
  for (const count of [0, 1, 2]) {
    const response = await rpc.post(`listed?count=${count}&of=é`)
    t.deepEqual(headers(response), {
      ...COMMON,
      'content-type': 'application/json',
      'x-chunked-output': '1',
      'transfer-encoding': 'chunked'
    })
    t.is(await response.text(), ['{"N":0,"Text":"é"}\n', '{"N":1,"Text":"é"}\n'].slice(0, count).join(''))
    t.is(await (await rpc.post(`listed?count=${count}&encoding=text`)).text(), ['0: \n', '1: \n'].slice(0, count).join(''))
  }
  t.is(calls(), 0)
  for (const count of [1, 2]) {
    const late = await rpc.post(`listed?count=${count}&encoding=text&of=broken`)
    t.is(late.status, 200)
    await t.throwsAsync(late.text())
  }
})

test('a command without words and a group answer an empty stream', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  for (const path of ['group/silent', 'group']) {
    const response = await rpc.post(path)
    t.is(response.status, 200)
    t.is(response.headers.get('x-chunked-output'), '1')
    t.is(await response.text(), '')
  }
  t.is((await rpc.post('group?encoding=text')).headers.get('content-type'), 'text/plain')
})

const sized = command.read('sized', {
  help: 'Bytes of a known size.',
  reply: bytes(),
  run: () => ({ length: 3n, bytes: [Buffer.from('ab'), Buffer.from('c')] })
})

test('bytes are text whatever encoding is asked for, and tell their size where it is known', async t => {
  const rpc = await openTestRpc(t, { commands: [...all, sized] })
  for (const encoding of ['json', 'xml', 'text', 'textnl']) {
    const response = await rpc.post(`sized?encoding=${encoding}`)
    t.deepEqual(headers(response), {
      ...COMMON,
      'content-type': 'text/plain',
      'x-stream-output': '1',
      'x-content-length': '3',
      'transfer-encoding': 'chunked'
    })
    t.is(await response.text(), 'abc')
  }
  const echoed = await rpc.post('echo', form('one', 'two'))
  t.is(echoed.headers.get('x-content-length'), null)
  t.is(await echoed.text(), 'onetwo')
})

test('an error before the first byte is the answer, in the encoding that was asked for', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const asked = async (query: string) => {
    const response = await rpc.post(`one?fail=no%20%3Ccid%3E&${query}`)
    return [response.status, response.headers.get('content-type'), await response.text()]
  }
  t.deepEqual(await asked(''), [500, 'application/json', '{"Message":"no \\u003ccid\\u003e","Code":0,"Type":"error"}\n'])
  t.deepEqual(await asked('client=true'), [400, 'application/json', '{"Message":"no \\u003ccid\\u003e","Code":1,"Type":"error"}\n'])
  t.deepEqual(await asked('encoding=text'), [500, 'text/plain', 'no <cid>'])
  t.deepEqual(await asked('encoding=textnl'), [500, '', 'no <cid>\n'])
  t.deepEqual(await asked('encoding=xml'), [500, 'application/xml', '<Error><Message>no &lt;cid&gt;</Message><Code>0</Code></Error>'])
  const streamed = await rpc.post('count?fail=0')
  t.is(streamed.status, 500)
  t.is(streamed.headers.get('x-chunked-output'), null)
})

test('a defect of a command is an error like others, and the next request is served', async t => {
  const broken = command.read('broken', { help: '', reply: nothing(), run: () => (undefined as unknown as { x(): void }).x() })
  const rpc = await openTestRpc(t, { commands: [...all, broken] })
  t.is((await rpc.post('broken')).status, 500)
  t.is((await rpc.post('one')).status, 200)
})

async function* pair() {
  yield 'a\udcff'
  yield 'b'
}

test('bytes that are no UTF-8 go out as they are in text, and replaced in JSON', async t => {
  const raw = command.read('raw', {
    help: '',
    options: { many: p.bool('').default(false) },
    reply: either(z.string(), z.string()),
    text: item => `${item}\n`,
    run: (_, { options }) => (options.many ? pair() : 'a\udcff')
  })
  const rpc = await openTestRpc(t, { commands: [raw] })
  const bytesOf = async (path: string) => Buffer.from(await (await rpc.post(path)).arrayBuffer()).toString('latin1')
  t.is(await bytesOf('raw?encoding=text'), 'a\xff\n')
  t.is(await bytesOf('raw?encoding=text&many'), 'a\xff\nb\n')
  t.is(await bytesOf('raw'), '"a\\ufffd"\n')
})

test('a late error breaks the body off behind the trailer that names it', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/count?fail=2 HTTP/1.1')
  const answer = await wire.end()
  t.is(fieldsOf(answer)['trailer'], 'X-Stream-Error')
  t.is(bodyOf(answer), '10\r\n{"N":0}\n{"N":1}\n\r\n0\r\nX-Stream-Error: broken in two\r\n')
  await t.throwsAsync(async () => (await rpc.post('count?fail=2')).text())
})

test('a late error ends the body cleanly where the settings say so', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { lateFailure: 'finish' } })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/count?fail=2 HTTP/1.1')
  t.true((await wire.until(/\r\n0\r\n.*\r\n\r\n$/)).endsWith('10\r\n{"N":0}\n{"N":1}\n\r\n0\r\nX-Stream-Error: broken in two\r\n\r\n'))
  wire.clear()
  wire.ask('POST /api/v0/one HTTP/1.1')
  t.regex(await wire.until(/\r\n0\r\n\r\n$/), /^HTTP\/1\.1 200 OK\r\n/)
})

test('bytes that are opened at once fail late', async t => {
  const failing = command.read('failing', {
    help: '',
    reply: bytes(),
    run: () => ({
      bytes: (async function* (): AsyncGenerator<Uint8Array> {
        throw new Error('no bytes')
      })()
    })
  })
  const rpc = await openTestRpc(t, { commands: [failing] })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/failing HTTP/1.1')
  const answer = await wire.end()
  t.regex(answer, /^HTTP\/1\.1 200 OK\r\n/)
  t.is(bodyOf(answer), '0\r\nX-Stream-Error: no bytes\r\n')
})

test('what XML cannot hold is a late error of an answer that has begun', async t => {
  const map = command.read('map', { help: '', reply: value(z.record(z.string(), z.int())), run: () => ({ a: 1 }) })
  const rpc = await openTestRpc(t, { commands: [map] })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/map?encoding=xml HTTP/1.1')
  const answer = await wire.end()
  t.is(fieldsOf(answer)['content-type'], 'application/xml')
  t.is(bodyOf(answer), '0\r\nX-Stream-Error: xml: unsupported type: map[string]interface {}\r\n')
})

test('a caller of HTTP/1.0 gets a plain body, no trailer is announced, and the connection closes', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wire = await rpc.wire()
  wire.say('POST /api/v0/count HTTP/1.0', '', '')
  const answer = await wire.end()
  t.is(fieldsOf(answer)['trailer'], undefined)
  t.is(fieldsOf(answer)['transfer-encoding'], undefined)
  t.is(bodyOf(answer), '{"N":0}\n{"N":1}\n{"N":2}\n')
})
