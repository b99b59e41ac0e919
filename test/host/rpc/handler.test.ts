import test from 'ava'
import { z } from 'zod'
import type { Caller, Hook } from '../../../core/index.ts'
import { command, plugin, stream, value } from '../../../core/index.ts'
import { all } from './support/commands.ts'
import { form, openTestRpc, type TestRpc } from './support/rpc.ts'
import { fieldsOf } from './support/wire.ts'

async function told(response: Promise<Response>): Promise<[number, string]> {
  const { status, headers, text } = await response.then(async r => ({ status: r.status, headers: r.headers, text: await r.text() }))
  return [status, headers.get('content-type')?.startsWith('text/plain; charset') ? text : `${headers.get('content-type')}: ${text}`]
}

test('only POST calls commands', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
    const response = await rpc.post('one', { method })
    t.is(response.status, 405)
    t.is(response.headers.get('allow'), 'OPTIONS, POST')
    t.is(response.headers.get('vary'), 'Origin')
  }
  const options = await rpc.post('nope', { method: 'OPTIONS' })
  t.is(options.status, 204)
  t.is(options.headers.get('content-length'), null)
})

test('paths that lead nowhere are told in text, what is switched off with the setting', async t => {
  const rpc = await openTestRpc(t, { commands: all, configuration: { commands: { 'group/*': 'off' } } })
  t.deepEqual(await told(rpc.post('nope')), [404, '404 page not found\n'])
  t.deepEqual(await told(rpc.post('one/a/b')), [404, '404 page not found\n'])
  t.deepEqual(await told(rpc.post('')), [404, '404 page not found\n'])
  t.deepEqual(await told(rpc.post('group/silent')), [
    404,
    'group/silent is switched off: commands: { "group/*": off } in the configuration\n'
  ])
})

test('what is wrong with words is told in text, in the order in which the reference finds it', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const wrong: Array<[string, RequestInit | undefined, string]> = [
    ['say', undefined, 'argument "first" is required\n'],
    ['say?flag=maybe', undefined, 'could not convert value "maybe" to type "bool" (for option "-flag")\n'],
    ['say?flag=maybe&small=1&small=2', undefined, 'expected key small to have only a single value, received [1 2]\n'],
    ['echo?offline=x', undefined, "file argument 'data' is required\n"],
    ['echo', { body: 'x', headers: { 'content-type': 'text/plain' } }, "file argument 'data' is required\n"],
    ['echo', { body: 'x', headers: { 'content-type': 'multipart/form-data' } }, 'no multipart boundary param in Content-Type\n'],
    [
      'echo',
      { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=' } },
      "request Content-Type isn't multipart/form-data\n"
    ],
    ['one?encoding=nope', undefined, 'invalid encoding: nope\n'],
    ['group?encoding=', undefined, 'invalid encoding: \n']
  ]
  for (const [path, init, text] of wrong) t.deepEqual(await told(rpc.post(path, init)), [400, text], path)
})

test('a timeout that is none ends the request without a word', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  for (const path of ['one?timeout=soon', 'one?timeout=', 'group?timeout=10', 'one?timeout=1d&encoding=nope']) {
    const response = await rpc.post(path)
    t.is(response.status, 200)
    t.is(response.headers.get('content-length'), '0')
    t.is(response.headers.get('content-type'), null)
  }
})

const said = async (rpc: TestRpc, query: string, init?: RequestInit) =>
  (await (await rpc.post(`say${query}`, init)).json()) as Record<string, unknown>

test('words reach the command as values', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  t.deepEqual(await said(rpc, '/a%20b?arg=c&f&size=5&list=x&l=y&wait=1s&L'), {
    encoding: 'json',
    first: 'a b',
    flag: true,
    list: ['y'],
    others: ['c'],
    size: 5,
    wait: 1_000_000_000
  })
  t.deepEqual(await said(rpc, '?arg=%FF&arg=+&arg=%zz&arg=a;b&&arg'), { encoding: 'json', first: '\ufffd', list: [], others: [' ', ''] })
  t.like(await said(rpc, '?arg=1', form('2\n 3 \r\n\n4')), { first: '1', others: ['2', '3', '', '4'] })
  t.like(await said(rpc, '', form(' 2 ')), { first: ' 2 ', others: [] })
})

test('a complaint about a format is the command’s own', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const response = await rpc.post('say?arg=x&wait=10')
  t.deepEqual([response.status, await response.json()], [500, { Message: 'time: missing unit in duration "10"', Code: 0, Type: 'error' }])
})

test('an upload where lines are expected: cut, empty, and a folder', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const { headers } = form()
  t.deepEqual(await told(rpc.post('say', { headers, body: '--edge\r\nContent-Disposition: x\r\n\r\nhalf' })), [400, 'unexpected EOF\n'])
  t.deepEqual(await told(rpc.post('say', { headers, body: '' })), [400, 'multipart: NextPart: EOF\n'])
  t.deepEqual(await told(rpc.post('say', { headers, body: '--edge--' })), [400, 'argument "first" is required\n'])
  const folder = form({ head: ['Content-Disposition: form-data; filename=d', 'Content-Type: application/x-directory'], data: '' })
  for (const path of ['say', 'say?arg=x']) {
    const response = await rpc.post(path, folder)
    t.deepEqual([response.status, response.headers.get('content-length')], [200, '0'])
  }
})

test('callers of another site are turned away before anything is looked at', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  for (const headers of [{ Origin: 'http://evil.example' }, { Referer: 'http://evil.example/' }, { 'User-Agent': 'Mozilla/5.0' }]) {
    t.deepEqual(await told(rpc.post('nope', { headers: headers as never })), [403, '403 - Forbidden\n'])
  }
  const sameOrigin = await rpc.post('nope', { headers: { Origin: rpc.url } })
  t.is(sameOrigin.status, 404)
  t.is(sameOrigin.headers.get('access-control-allow-origin'), rpc.url)
})

test('a page that says it is of another site is turned away unless its origin is allowed', async t => {
  const config = { 'API.HTTPHeaders': { 'Access-Control-Allow-Origin': ['http://friend.example'] } }
  const rpc = await openTestRpc(t, { commands: all, config })
  const from = async (line: string, ...fields: string[]) => {
    const wire = await rpc.wire()
    wire.ask(line, [...fields, 'Content-Length: 0'])
    return (await wire.until(/\r\n\r\n[\s\S]*\n$/)).split('\r\n')[0]
  }
  const call = 'POST /api/v0/one HTTP/1.1'
  t.is(await from(call, 'Sec-Fetch-Site: cross-site'), 'HTTP/1.1 403 Forbidden')
  t.is(await from(call, 'Sec-Fetch-Site: cross-site', 'Origin: http://friend.example'), 'HTTP/1.1 200 OK')
  t.is(await from(call, 'Sec-Fetch-Site: same-origin'), 'HTTP/1.1 200 OK')
  t.is(await from(call, 'Sec-Fetch-Site: none'), 'HTTP/1.1 200 OK')
  t.is(await from('GET /plugins HTTP/1.1', 'Sec-Fetch-Site: cross-site'), 'HTTP/1.1 403 Forbidden')
  t.is(await from('GET /webui/ HTTP/1.1', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'), 'HTTP/1.1 302 Found')
})

test('a request under a foreign name is turned away, and told which setting lets it in', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { allowedHosts: ['node.example'] } })
  const under = async (host: string | undefined, line = 'POST /api/v0/one HTTP/1.1') => {
    const wire = await rpc.wire()
    wire.say(line, ...(host === undefined ? [] : [`Host: ${host}`]), 'Content-Length: 0', 'Connection: close', '', '')
    return wire.end()
  }
  for (const host of [
    '127.0.0.1',
    `127.0.0.1:${rpc.port}`,
    'localhost:1',
    'LOCALHOST',
    'app.localhost',
    '127.8.8.8',
    '[::1]:5001',
    'node.example:80',
    'Node.Example.'
  ]) {
    t.regex(await under(host), /^HTTP\/1\.1 200/, host)
  }
  t.regex(await under(''), /^HTTP\/1\.1 200/)
  t.regex(await under(undefined, 'POST /api/v0/one HTTP/1.0'), /^HTTP\/1\.[01] 200/)
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil', '10.0.0.1', 'node.example.evil', '[::2]']) {
    const answer = await under(host)
    t.regex(answer, /^HTTP\/1\.1 403/, host)
    t.regex(answer, /rpc\.allowedHosts/, host)
    t.regex(await under(host, 'GET /version HTTP/1.1'), /^HTTP\/1\.1 403/, host)
  }
})

test('* among the allowed hosts lets every name in', async t => {
  const rpc = await openTestRpc(t, { commands: all, settings: { allowedHosts: ['*'] } })
  const wire = await rpc.wire()
  wire.say('POST /api/v0/one HTTP/1.1', 'Host: evil.example', 'Content-Length: 0', '', '')
  t.regex(await wire.until(/\n$/), /^HTTP\/1\.1 200/)
})

test('a Kubo of another version may only ask for the version', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const headers = { 'User-Agent': '/kubo/0.27.0/' }
  t.deepEqual(await told(rpc.post('one', { headers })), [400, 'api version mismatch (/kubo/0.28.0/ != /kubo/0.27.0/)\n'])
  t.is((await rpc.post('version/x', { headers })).status, 404)
  t.is((await rpc.post('one', { headers: { 'User-Agent': '/kubo/0.28.0/' } })).status, 200)
})

test('where secrets are configured, callers need one, and hooks see whose', async t => {
  const callers: Caller[] = []
  const around: Hook = (call, next) => {
    callers.push(call.caller)
    return next()
  }
  const config = { 'API.Authorizations': { Alice: { AuthSecret: 'bearer:a', AllowedPaths: ['/api/v0/one'] } } }
  const rpc = await openTestRpc(t, { commands: all, config, plugins: [plugin({ name: 'watch', api: '^1', about: '', around: [around] })] })
  t.is((await rpc.post('one')).status, 403)
  t.is((await rpc.post('count', { headers: { Authorization: 'Bearer a' } })).status, 403)
  t.is((await rpc.post('%63ount', { headers: { Authorization: 'Bearer a' } })).status, 403)
  t.is((await rpc.post('one', { headers: { Authorization: 'Bearer a', 'User-Agent': 'me' } })).status, 200)
  t.is(callers.length, 1)
  const [caller] = callers
  t.deepEqual([caller?.transport, caller?.grant?.name, caller?.userAgent, caller?.address], ['http', 'Alice', 'me', '127.0.0.1'])
  const preflight = await rpc.post('one', { method: 'OPTIONS' })
  t.deepEqual([preflight.status, preflight.headers.get('vary')], [403, null])
})

test('a configured header goes out as its UTF-8, whatever the answer below it', async t => {
  const rpc = await openTestRpc(t, { commands: all, config: { 'API.HTTPHeaders': { 'X-Mine': ['Füße'] } } })
  for (const path of ['one', 'count?count=1', 'count?count=0', 'count?fail=0']) {
    const mine = (await rpc.post(path)).headers.get('x-mine') ?? ''
    t.is(Buffer.from(mine, 'latin1').toString(), 'Füße', path)
  }
})

test('configured headers are on answers of commands, but not on those that come before', async t => {
  const config = {
    'API.HTTPHeaders': {
      'x-mine': ['a', 'b\r\nc'],
      Server: ['other'],
      'transfer-encoding': ['gzip'],
      'Content-Length': ['3'],
      Upgrade: ['h2c'],
      'Access-Control-Allow-Headers': ['X'],
      'Access-Control-Allow-Origin': ['http://a.example']
    }
  }
  const rpc = await openTestRpc(t, { commands: all, config })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/one HTTP/1.1', ['Content-Length: 0'])
  const answer = await wire.until(/0\r\n\r\n$/)
  t.true(answer.includes('\r\nX-Mine: a\r\nX-Mine: b  c\r\n'))
  t.like(fieldsOf(answer), { server: 'kubo/0.28.0', 'access-control-allow-headers': 'X-Stream-Output, X-Chunked-Output, X-Content-Length' })
  t.is(fieldsOf(answer)['access-control-allow-origin'], undefined)
  // where an answer ends is not the configuration's to say
  t.like(fieldsOf(answer), { 'transfer-encoding': 'chunked', 'content-length': undefined, upgrade: undefined })
  t.is((await rpc.post('one?timeout=x')).headers.get('access-control-allow-headers'), 'X')
  t.is((await rpc.post('nope')).headers.get('x-mine'), null)
})

test('what JSON cannot hold is an error in the trailer, as in the reference, and no value', async t => {
  const odd = () => ({ N: Number.NaN }) as never
  const reply = z.object({ N: z.unknown() })
  const commands = [
    command.read('odd/value', { help: 'One.', reply: value(reply), run: odd }),
    command.read('odd/first', {
      help: 'First.',
      reply: stream(reply),
      run: async function* () {
        yield odd()
      }
    }),
    command.read('odd/list', { help: 'A list.', reply: stream(reply), run: () => [odd()] as never }),
    command.read('odd/second', {
      help: 'Second.',
      reply: stream(reply),
      run: async function* () {
        yield { N: 1 } as never
        yield odd()
      }
    })
  ]
  const rpc = await openTestRpc(t, { commands })
  for (const path of ['odd/value', 'odd/first', 'odd/list', 'odd/second']) {
    const wire = await rpc.wire()
    wire.ask(`POST /api/v0/${path} HTTP/1.1`, ['Content-Length: 0', 'Connection: close'])
    const answer = await wire.end()
    t.regex(answer, /^HTTP\/1\.1 200 OK\r\n/, path)
    t.regex(answer, /X-Stream-Error: .*unsupported value: NaN/i, path)
    t.is(answer.includes('{"N":1}\n'), path === 'odd/second', path)
  }
})
