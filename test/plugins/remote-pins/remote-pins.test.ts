import test from 'ava'
import { itemsOf } from '../../../host/testing.ts'
import { onlineNode } from '../../helpers/online.ts'
import { CID, nodeWith } from './host.ts'
import { manyPins, pinningService } from './service.ts'

test('a pin is asked for with its name, and waited for until the service has it', async t => {
  const service = await pinningService(t)
  const { add } = await nodeWith(t, service.url)
  service.first = 'queued'
  let looks = 0
  service.look = pin => {
    looks++
    pin.status = looks < 3 ? 'pinning' : 'pinned'
  }
  t.deepEqual(await add({ name: 'site' }), [{ Status: 'pinned', Cid: CID, Name: 'site' }])
  t.is(looks, 3)
  const [post] = service.asked
  t.deepEqual([post!.method, post!.path, JSON.parse(post!.body)], ['POST', '/api/pins', { cid: CID, name: 'site' }])
  const { authorization, accept } = post!.headers
  t.deepEqual([authorization, accept, post!.headers['content-type']], ['Bearer secret', 'application/json', 'application/json'])
  t.regex(post!.headers['user-agent']!, /^holdfast\/\d/)
})

test('a name that is longer than 255 bytes, or no UTF-8, is refused before anybody is asked', async t => {
  const service = await pinningService(t)
  const { add, ls, rm } = await nodeWith(t, service.url)
  await t.throwsAsync(add({ name: 'é'.repeat(128) }), { code: 'E_REMOTE_NAME' })
  // as `%ff` of a query is read
  const name = 'caf\udcff'
  for (const ask of [() => add({ name }), () => ls({ name }), () => rm({ name })]) {
    await t.throwsAsync(async () => ask(), { code: 'E_REMOTE_NAME_TEXT', message: 'name is no UTF-8' })
  }
  t.deepEqual(service.asked, [])
})

test('in the background the answer is the state that the service tells at first, and the same CID may be pinned twice', async t => {
  const service = await pinningService(t)
  const { add, ls } = await nodeWith(t, service.url)
  service.first = 'queued'
  t.deepEqual(await add({ background: true }), [{ Status: 'queued', Cid: CID, Name: '' }])
  await add({ background: true, name: 'again' })
  t.true(service.asked.every(({ method }) => method === 'POST'))
  t.deepEqual(
    (await ls({ status: ['queued'] })).map(({ Name }) => Name),
    ['again', '']
  )
  t.deepEqual(await ls(), [])
})

test('a service that fails to pin, answers for another pin or loses it is named with the request', async t => {
  const service = await pinningService(t)
  const { add } = await nodeWith(t, service.url)
  service.first = 'failed'
  await t.throwsAsync(add(), { code: 'E_REMOTE_FAILED', message: 'remote service failed to pin requestid="1"' })
  service.first = 'queued'
  service.look = pin => Object.assign(pin, { requestid: 'other' })
  await t.throwsAsync(add(), {
    code: 'E_REMOTE_OTHER',
    message: 'failed to check pin status for requestid="2", remote service sent unexpected requestid="other"'
  })
  service.look = () => service.keys.clear()
  await t.throwsAsync(add(), {
    code: 'E_REMOTE_CHECK',
    message:
      'failed to check pin status for requestid="3" due to error: reason: "UNAUTHORIZED", details: "the token is unknown or has expired": 401 Unauthorized'
  })
})

test('a caller who does not wait any longer is told that the request remains', async t => {
  const service = await pinningService(t)
  const { host } = await nodeWith(t, service.url)
  service.first = 'pinning'
  const controller = new AbortController()
  service.look = () => controller.abort(new Error('left'))
  const call = async () =>
    itemsOf(await host.call('pin/remote/add', { args: [CID], options: { service: 'mine' }, signal: controller.signal }))
  await t.throwsAsync(call())
  // it has asked by then, and waits
  const patient = await nodeWith(t, service.url, { pollInterval: 60_000 })
  await t.throwsAsync(patient.add({ timeout: '3s' }), {
    code: 'E_REMOTE_INTERRUPTED',
    message: 'waiting for pin interrupted, requestid="2" remains on remote service'
  })
  t.is(service.pins.length, 2)
})

test('all pages of a list are read, also where pins differ by nanoseconds alone', async t => {
  const service = await pinningService(t)
  const { ls } = await nodeWith(t, service.url)
  service.pins.push(...manyPins(250, CID))
  const names = (await ls()).map(({ Name }) => Name)
  t.deepEqual(
    names,
    Array.from({ length: 250 }, (_, i) => `n${249 - i}`)
  )
  t.deepEqual(
    service.asked.map(({ query }) => query.get('before')),
    [null, '2026-01-02T03:04:05.100000150Z', '2026-01-02T03:04:05.100000050Z']
  )
})

test('filters are handed to the service', async t => {
  const service = await pinningService(t)
  const { ls } = await nodeWith(t, service.url)
  service.pins.push(...manyPins(3, CID))
  t.deepEqual(await ls({ name: 'n1', cid: [CID], status: ['pinned', 'failed'] }), [{ Status: 'pinned', Cid: CID, Name: 'n1' }])
  t.deepEqual(Object.fromEntries(service.asked[0]!.query), { limit: '100', cid: CID, name: 'n1', status: 'pinned,failed' })
  await t.throwsAsync(ls({ status: ['done'] }), { code: 'E_REMOTE_STATUS' })
  await t.throwsAsync(ls({ cid: ['x'] }), { code: 'E_REMOTE_CID' })
  t.is(service.asked.length, 1)
})

test('removing takes all that match, several only by force, and nothing where more match than may be removed', async t => {
  const service = await pinningService(t)
  const { rm } = await nodeWith(t, service.url, { maxRemoved: 150 })
  service.pins.push(...manyPins(151, CID))
  await t.throwsAsync(rm(), { code: 'E_REMOTE_MANY' })
  await t.throwsAsync(rm({ force: true }), { code: 'E_REMOTE_REMOVED_MOST', message: /plugins\.remote-pins\.maxRemoved/ })
  t.is(service.pins.length, 151)
  await rm({ name: 'n7' })
  t.is(service.pins.length, 150)
  await rm({ force: true })
  t.deepEqual(service.pins, [])
  await rm()
})

test('the numbers of pins are told of services that answer, and no key is ever', async t => {
  const service = await pinningService(t)
  const { host } = await nodeWith(t, service.url)
  service.pins.push(...manyPins(3, CID))
  service.pins[0]!.status = 'failed'
  await host.call('pin/remote/service/add', { args: ['closed', service.url, 'another key'] })
  const { RemoteServices } = (await host.call('pin/remote/service/ls', { options: { stat: true } })) as { RemoteServices: unknown[] }
  t.deepEqual(RemoteServices, [
    { Service: 'closed', ApiEndpoint: service.url, Stat: { Status: 'invalid' } },
    { Service: 'mine', ApiEndpoint: service.url, Stat: { Status: 'valid', PinCount: { Queued: 0, Pinning: 0, Pinned: 2, Failed: 1 } } }
  ])
  await host.call('diag/cmds/set-time', { args: ['1h'] })
  await host.call('pin/remote/service/add', { args: ['third', service.url, 'a third key'] })
  const shown = []
  for (const path of ['pin/remote/service/ls', 'config/show', 'diag/cmds']) shown.push(JSON.stringify(await host.call(path)))
  shown.push(JSON.stringify(await host.call('config/profile/apply', { args: ['test'], options: { dryRun: true } })))
  for (const text of shown) t.false(/secret|another key|a third key/.test(text), text)
  t.regex(shown[2]!, /"third",".*","\*\*\*"/)
})

test('a service that is removed is gone from the node configuration, its key with it', async t => {
  const service = await pinningService(t)
  const { host, ls } = await nodeWith(t, service.url, { maxServices: 2 })
  await host.call('pin/remote/service/add', { args: ['__proto__', service.url, 'x'] })
  await t.throwsAsync(host.call('pin/remote/service/add', { args: ['third', service.url, 'x'] }), { code: 'E_REMOTE_SERVICES_MOST' })
  await host.call('pin/remote/service/rm', { args: ['mine'] })
  await t.throwsAsync(ls(), { code: 'E_REMOTE_SERVICE_UNKNOWN' })
  const names = ((await host.call('pin/remote/service/ls')) as { RemoteServices: Array<{ Service: string }> }).RemoteServices
  t.deepEqual(
    names.map(({ Service }) => Service),
    ['__proto__']
  )
})

test('node and service tell each other where the content is, and connect', async t => {
  const service = await pinningService(t)
  const [one, other] = [await onlineNode(t), await onlineNode(t)]
  const call = (path: string, args: string[], options = {}) => one.host.call(path, { args, options: { service: 'mine', ...options } })
  await one.host.call('pin/remote/service/add', { args: ['mine', service.url, 'secret'] })
  const nobody = '/ip4/127.0.0.1/tcp/1/p2p/12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X'
  service.delegates = [...other.addresses(), nobody]
  await itemsOf(await call('pin/remote/add', [CID]))
  t.is(one.network.connections(other.network.self).length, 1)
  const bodyOf = (at: number) => JSON.parse(service.asked[at]!.body) as { origins?: string[] }
  t.is(bodyOf(0).origins, undefined, 'it does not have the content')
  const here = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
  await itemsOf(await call('pin/remote/add', [here]))
  t.deepEqual(bodyOf(1).origins, one.addresses())
  service.delegates = ['/ip4/127.0.0.1/tcp/1']
  await t.throwsAsync(itemsOf(await call('pin/remote/add', [here])), { code: 'E_MULTIADDR_NO_PEER' })
})
