import test from 'ava'
import { z } from 'zod'
import { command, defineErrors, hook, p, plugin, value } from '../../../core/index.ts'
import { openTestRpc } from '../rpc/support/rpc.ts'

const errors = defineErrors({
  E_TEST_FORBIDDEN: { wire: 'forbidden', message: () => 'not you' },
  E_TEST_RATE: { wire: 'rateLimited', message: () => 'slower' },
  E_TEST_RATE_LONG: { wire: 'rateLimited', message: () => 'slower', http: () => ({ headers: { 'retry-after': '9' } }) },
  E_TEST_PAYMENT: {
    message: (sum: number) => `pay ${sum}`,
    http: sum => ({ status: 402, headers: { 'Content-Type': 'text/html', 'X-Sum': String(sum) }, body: `<b>${sum}</b>` })
  },
  E_TEST_OCTETS: { message: () => 'octets', http: () => ({ status: 418, body: new Uint8Array([0, 255]) }) },
  E_TEST_WRONG: {
    message: () => 'wrong',
    http: () => ({ status: 99, headers: { 'Content-Length': '3', 'bad name': 'x', 'X-Lines': 'a\r\nX-Injected: b' } })
  }
})

const fail = command.read('fail', {
  help: 'Fail.',
  args: { with: p.string('Which.') },
  reply: value(z.unknown()),
  run(_, { args }) {
    throw (errors as Record<string, (sum: number) => Error>)[`E_TEST_${args.with}`]!(3)
  }
})

const fine = command.write('fine', {
  help: 'Succeed.',
  args: { cid: p.cid('One.').optional() },
  options: { n: p.int('A number.') },
  reply: value(z.object({ Ok: z.boolean() })),
  run: () => ({ Ok: true })
})

test('errors of plugins have the status of their kind, and say when to come back', async t => {
  const rpc = await openTestRpc(t, { commands: [fail] })
  const ask = async (what: string) => {
    const answer = await rpc.post(`fail?arg=${what}`)
    return [answer.status, answer.headers.get('retry-after'), await answer.text()]
  }
  t.deepEqual(await ask('FORBIDDEN'), [403, null, '{"Message":"not you","Code":4,"Type":"error"}\n'])
  t.deepEqual(await ask('RATE'), [429, '1', '{"Message":"slower","Code":3,"Type":"error"}\n'])
  t.deepEqual(await ask('RATE_LONG'), [429, '9', '{"Message":"slower","Code":3,"Type":"error"}\n'])
})

test('an error answers a status, header fields and a body of its own', async t => {
  const rpc = await openTestRpc(t, { commands: [fail] })
  const payment = await rpc.post('fail?arg=PAYMENT')
  t.is(payment.status, 402)
  t.is(payment.headers.get('content-type'), 'text/html')
  t.is(payment.headers.get('x-sum'), '3')
  t.is(payment.headers.get('server'), 'kubo/0.28.0')
  t.is(await payment.text(), '<b>3</b>')
  const octets = await rpc.post('fail?arg=OCTETS')
  t.is(octets.status, 418)
  t.is(octets.headers.get('content-type'), 'application/octet-stream')
  t.deepEqual([...new Uint8Array(await octets.arrayBuffer())], [0, 255])
})

test('what cannot be sent is left out, cannot split an answer, and is told', async t => {
  const rpc = await openTestRpc(t, { commands: [fail] })
  const tail = rpc.host.logs.tail()[Symbol.asyncIterator]()
  const answer = await rpc.post('fail?arg=WRONG')
  t.is(answer.status, 500)
  t.is(answer.headers.get('x-injected'), null)
  t.is(answer.headers.get('x-lines'), 'a  X-Injected: b')
  t.is(await answer.text(), '{"Message":"wrong","Code":0,"Type":"error"}\n')
  const { value: lines } = await tail.next()
  const told = lines!
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line).msg)
  t.regex(told[0], /plugin 'fakes' failed in 'fail': .*the status 99: it is a whole number from 200 to 599/)
  t.regex(told[1], /the header field 'Content-Length': the node itself sets it/)
  t.regex(told[2], /the header field 'bad name'/)
})

test('a hook adds a status and header fields to an answer', async t => {
  const around = [hook({ run: async (_, __, next) => ({ ...(await next()), http: { status: 203, headers: { Vary: 'X-A' } } }) })]
  const rpc = await openTestRpc(t, { commands: [fine], plugins: [plugin({ name: 'words', api: '^1', about: 'Adds.', around })] })
  const answer = await rpc.post('fine')
  t.is(answer.status, 203)
  t.is(answer.headers.get('vary'), 'X-A')
  t.is(await answer.text(), '{"Ok":true}\n')
})

test('an answer whose status has no body is sent without one', async t => {
  const quiet = hook({ run: async (_, { args }, next) => ({ ...(await next()), http: { status: args['cid'] === undefined ? 204 : 304 } }) })
  const rpc = await openTestRpc(t, {
    commands: [fine],
    plugins: [plugin({ name: 'quiet', api: '^1', about: 'Answers no body.', around: [quiet] })]
  })
  for (const [path, status] of [
    ['fine', 204],
    ['fine?arg=bafkqaaa', 304]
  ] as const) {
    const answer = await rpc.post(path)
    t.deepEqual([answer.status, answer.headers.get('trailer'), await answer.text()], [status, null, ''])
  }
})

test('a hook that asks for them lies around requests that make no call, and others do not', async t => {
  const seen: string[] = []
  const refuse = { now: false }
  const gate = hook({
    also: ['malformed'],
    async run(_, call, next) {
      seen.push(`${call.kind} ${call.command.path} ${call.caller.address}`)
      if (refuse.now) throw errors.E_TEST_RATE()
      return next()
    }
  })
  const only = hook({
    async run(_, call, next) {
      seen.push(`only ${call.command.path}`)
      return next()
    }
  })
  const rpc = await openTestRpc(t, {
    commands: [fine, fail],
    plugins: [plugin({ name: 'gate', api: '^1', about: 'A gate.', around: [gate, only] })]
  })
  const bad: ReadonlyArray<readonly [string, number, string]> = [
    ['fail', 400, 'argument "with" is required\n'],
    ['fine?n=x', 400, 'could not convert value "x" to type "int" (for option "-n")\n'],
    ['fine?arg=x', 500, '{"Message":"invalid cid: cid too short","Code":0,"Type":"error"}\n'],
    ['fine?encoding=x', 400, 'invalid encoding: x\n'],
    ['fine?timeout=x', 200, '']
  ]
  for (const [path, status, body] of bad) {
    const answer = await rpc.post(path)
    t.deepEqual([answer.status, await answer.text()], [status, body], path)
  }
  t.deepEqual(
    seen,
    bad.map(([path]) => `malformed ${path.split('?')[0]} 127.0.0.1`)
  )
  refuse.now = true
  for (const [path] of bad) t.is((await rpc.post(path)).status, 429, path)
  refuse.now = false
  seen.length = 0
  t.is((await rpc.post('fine')).status, 200)
  t.deepEqual(seen, ['call fine 127.0.0.1', 'only fine'])
})

test('a hook can answer a request that makes no call', async t => {
  const help = hook({
    also: ['malformed'],
    run: async (_, call, next) => (call.kind === 'malformed' ? { kind: 'value', value: { Ok: false }, http: { status: 422 } } : next())
  })
  const rpc = await openTestRpc(t, { commands: [fine], plugins: [plugin({ name: 'help', api: '^1', about: 'Helps.', around: [help] })] })
  const answer = await rpc.post('fine?n=x')
  t.deepEqual([answer.status, await answer.text()], [422, '{"Ok":false}\n'])
})

test('a secret with an access opens no more than it says, whatever its paths', async t => {
  const rpc = await openTestRpc(t, {
    commands: [fine, fail],
    config: { 'API.Authorizations': { ci: { AuthSecret: 'bearer:s', AllowedPaths: ['/api/v0'], Access: 'read' } } }
  })
  const answer = await rpc.post('fine', { headers: { authorization: 'Bearer s' } })
  t.is(answer.status, 403)
  t.is(await answer.text(), `{"Message":"fine takes the access 'write', and 'ci' has 'read'","Code":4,"Type":"error"}\n`)
  t.is((await rpc.post('fail?arg=RATE', { headers: { authorization: 'Bearer s' } })).status, 429)
  await t.throwsAsync(openTestRpc(t, { config: { 'API.Authorizations': { ci: { AuthSecret: 's', Access: 'all' } } } }), {
    message: `API.Authorizations.ci.Access is "all" in the node configuration: it is 'read', 'write' or 'admin'`
  })
})
