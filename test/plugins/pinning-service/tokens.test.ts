import test from 'ava'
import { Datastore } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { servingNode } from './world.ts'

interface Listed {
  readonly Name: string
  readonly Expired: boolean
  readonly LastUsed?: string
}

test('nobody is let in without a token that is known and has not expired', async t => {
  const { ask, makeToken, token } = await servingNode(t)
  const expired = await makeToken('short', { expires: 1_000_000n })
  await new Promise(resolve => setTimeout(resolve, 5))
  for (const secret of [undefined, '', 'wrong', `${token}x`, token.slice(1), expired]) {
    for (const [method, path] of [
      ['GET', '/pins'],
      ['POST', '/pins'],
      ['DELETE', '/pins/x'],
      ['GET', '/']
    ] as const) {
      const { status, headers, json } = await ask(method, path, { token: secret })
      t.deepEqual([status, headers.get('www-authenticate'), json.error.reason], [401, 'Bearer', 'UNAUTHORIZED'], `${secret} ${method}`)
    }
  }
  for (const Authorization of [`Basic ${token}`, token, `Bearer${token}`, `Bearer ${token} x`])
    t.is((await ask('GET', '/pins', { token: undefined, headers: { Authorization } })).status, 401, Authorization)
  t.is((await ask('GET', '/pins')).status, 200)
})

test('a client sees its own requests alone, and a new token of a name has those of the one before', async t => {
  const { ask, post, has, stored, makeToken, host } = await servingNode(t)
  const bob = await makeToken('bob')
  const { requestid } = await post(await stored('secret'))
  await has(requestid, 'pinned')
  t.is((await ask('GET', '/pins', { token: bob })).json.count, 0)
  for (const method of ['GET', 'DELETE']) t.is((await ask(method, `/pins/${requestid}`, { token: bob })).status, 404, method)
  t.is((await ask('POST', `/pins/${requestid}`, { token: bob, body: { cid: await stored('x') } })).status, 404)
  await host.call('pin/service/token/rm', { args: ['alice'] })
  t.is((await ask('GET', '/pins')).status, 401)
  const fresh = await makeToken('alice')
  t.is((await ask('GET', '/pins', { token: fresh })).json.results[0]!.requestid, requestid)
  const removed = await host.call('pin/service/token/rm', { args: ['alice'], options: { requests: true } })
  t.deepEqual(removed, { Name: 'alice', Requests: 1 })
})

test('the node keeps the hash of a secret alone, and shows neither anywhere', async t => {
  const { host, token, ask } = await servingNode(t)
  await ask('GET', '/pins')
  const store = host.service(Datastore)!
  let isHashed = false
  for await (const { value } of store.query({ prefix: '/' })) {
    const text = Buffer.from(value).toString('latin1')
    t.false(text.includes(token))
    isHashed ||= /sha256:[0-9a-f]{64}/.test(text)
  }
  t.true(isHashed)
  const shown = [
    await host.call('config/show'),
    await host.call('diag/cmds', { options: { verbose: true } }),
    await host.call('pin/service/token/list'),
    host.configuration
  ]
  for (const one of shown) {
    t.false(JSON.stringify(one).includes(token))
    t.notRegex(JSON.stringify(one), /sha256:/)
  }
})

test('tokens are listed with their end and their last use', async t => {
  const { host, ask, makeToken } = await servingNode(t, { settings: { limits: { tokens: 3 } } })
  await makeToken('short', { expires: 1_000_000n })
  await makeToken('unused', { expires: 2_592_000_000_000_000n })
  await new Promise(resolve => setTimeout(resolve, 5))
  const list = async () => ((await host.call('pin/service/token/list')) as { Tokens: Listed[] }).Tokens
  t.deepEqual(
    (await list()).map(({ Name, Expired, LastUsed }) => [Name, Expired, LastUsed]),
    [
      ['alice', false, undefined],
      ['short', true, undefined],
      ['unused', false, undefined]
    ]
  )
  await ask('GET', '/pins')
  const [alice] = await list()
  t.true(Date.now() - Date.parse(alice!.LastUsed!) < 60_000)
  await t.throwsAsync(makeToken('more'), { code: 'E_PINNING_TOKENS_MOST', message: /plugins\.pinning-service\.limits\.tokens/ })
  await t.throwsAsync(makeToken('alice'), { code: 'E_PINNING_TOKEN_EXISTS' })
  await t.throwsAsync(makeToken(''), { code: 'E_PINNING_TOKEN_NAME' })
  await t.throwsAsync(makeToken('x', { expires: 0n }), { code: 'E_PINNING_TOKEN_EXPIRES' })
  await t.throwsAsync(host.call('pin/service/token/rm', { args: ['nobody'] }), { code: 'E_PINNING_TOKEN_ABSENT' })
})

test('guessing is slowed, a client that is known is not, and each refusal is a line of the log without a secret', async t => {
  const { ask, host, token } = await servingNode(t)
  const lines: string[] = []
  const reading = (async () => {
    for await (const line of host.logs.tail()) lines.push(line)
  })()
  await ask('GET', '/pins')
  const statuses = new Map<number, number>()
  for (let i = 0; i < 110; i++) {
    const { status } = await ask('GET', '/pins', { token: `guess-${i}` })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  t.true(statuses.get(401)! >= 100)
  t.true((statuses.get(429) ?? 0) >= 1, 'some were not looked at')
  const slowed = await ask('GET', '/pins', { token: 'guess' })
  t.deepEqual([slowed.status, slowed.json.error.reason, slowed.headers.get('retry-after')], [429, 'TOO_MANY_REQUESTS', '1'])
  t.is((await ask('GET', '/pins')).status, 200)
  await host.stop()
  await reading
  const refusals = lines
    .join('')
    .split('\n')
    .filter(line => line.includes('a request was turned away'))
  t.is(refusals.length, 111)
  t.like(JSON.parse(refusals[0]!), { subsystem: 'audit', path: '/pins', address: '127.0.0.1', why: 'no known token' })
  t.true(refusals.some(line => line.includes('too many wrong tokens')))
  t.notRegex(refusals.join(''), /guess-|sha256:/)
  t.false(refusals.join('').includes(token))
})

test("the node's user lists and ends requests of clients", async t => {
  const { host, post, has, stored, pins } = await servingNode(t)
  const cid = await stored('one')
  const { requestid, created } = await post(cid, { name: 'n' })
  await has(requestid, 'pinned')
  const list = async (options = {}) => itemsOf(await host.call('pin/service/ls', { options }))
  t.deepEqual(await list(), [{ RequestId: requestid, Token: 'alice', Cid: cid, Name: 'n', Status: 'pinned', Created: created }])
  t.deepEqual(await list({ token: 'bob' }), [])
  await t.throwsAsync(host.call('pin/service/rm', { args: ['bob', requestid] }), { code: 'E_PINNING_REQUEST' })
  t.deepEqual(await host.call('pin/service/rm', { args: ['alice', requestid] }), { Removed: [requestid] })
  t.deepEqual(await list(), [])
  t.deepEqual(await pins(), [])
})
