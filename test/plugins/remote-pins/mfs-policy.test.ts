import test, { type ExecutionContext } from 'ava'
import { Repo } from '../../../core/index.ts'
import { pollInterval } from '../../../plugins/remote-pins/poll-interval.ts'
import { until } from '../../helpers/until.ts'
import { nodeWith } from './host.ts'
import { type PinningService, pinningService } from './service.ts'

/** A node whose tree is pinned at the service, looked at every few milliseconds. */
async function node(t: ExecutionContext, service: PinningService, interval = '1ms', name = '') {
  const { host } = await nodeWith(t, service.url, { policyInterval: 5 })
  const set = (key: string, value: string, bool = false, of = 'mine') =>
    host.call('config', { args: [`Pinning.RemoteServices.${of}.Policies.MFS.${key}`, value], options: { bool } })
  await set('RepinInterval', interval)
  await set('PinName', name)
  await set('Enable', 'true', true)
  const root = async () => ((await host.call('files/stat', { args: ['/'] })) as { Hash: string }).Hash
  return { host, set, root, mkdir: (path: string) => host.call('files/mkdir', { args: [path] }) }
}

const asksOf = (service: PinningService, method: string) => service.asked.filter(asked => asked.method === method)

test('the root of the tree is pinned at once, and again in the place of the first when it has changed', async t => {
  const service = await pinningService(t)
  const { host, root, mkdir } = await node(t, service)
  const has = (cid: string) => until(`${cid} at the service`, () => service.pins.some(({ pin }) => pin.cid === cid))
  await has(await root())
  const { peerId } = host.service(Repo)!.identity
  t.is(service.pins[0]!.pin.name, `policy/${peerId}/mfs`)
  await mkdir('/a')
  await has(await root())
  t.is(service.pins.length, 1, 'the one before is replaced')
  t.deepEqual(
    asksOf(service, 'POST').map(({ path }) => path),
    ['/api/pins', '/api/pins/1']
  )
})

test('a root that the service has under the name is not pinned again; one that it failed to pin is', async t => {
  const service = await pinningService(t)
  const { root, set } = await node(t, service, '1ms', 'tree')
  await until('a pin', () => service.pins.length === 1)
  t.is(service.pins[0]!.pin.name, 'tree')
  const lists = () => asksOf(service, 'GET').length
  // a policy that was changed is looked at anew, as after a start
  const before = lists()
  await set('RepinInterval', '2ms')
  await until('another look', () => lists() > before)
  t.is(asksOf(service, 'POST').length, 1)
  service.pins[0]!.status = 'failed'
  await set('RepinInterval', '3ms')
  await until('a replacement', () => service.pins[0]?.status === 'pinned')
  t.is(service.pins[0]!.pin.cid, await root())
})

test('a tree that has changed waits for the interval', async t => {
  const service = await pinningService(t)
  const { host, mkdir, set, root } = await node(t, service, '1h')
  await until('a pin', () => service.pins.length === 1)
  const first = service.pins[0]!.pin.cid
  const other = await pinningService(t)
  await host.call('pin/remote/service/add', { args: ['other', other.url, 'secret'] })
  await set('RepinInterval', '1ms', false, 'other')
  await set('Enable', 'true', true, 'other')
  await mkdir('/a')
  const now = await root()
  await until('the new root elsewhere', () => other.pins.some(({ pin }) => pin.cid === now))
  t.is(service.pins[0]!.pin.cid, first, 'this one was passed over')
  await set('RepinInterval', '1ms')
  await until('the new root', () => service.pins[0]?.pin.cid === now)
})

test('what fails is tried again', async t => {
  const service = await pinningService(t)
  service.keys.clear()
  await node(t, service)
  await until('a second try', () => service.asked.length > 1)
  service.keys.add('secret')
  await until('a pin', () => service.pins.length === 1)
  t.pass()
})

test('a pin that fails at the service after it was taken is asked for again, although the tree is the same', async t => {
  const service = await pinningService(t)
  service.first = 'queued'
  const { root } = await node(t, service)
  await until('a pin', () => service.pins.length === 1)
  const [first] = service.pins
  first!.status = 'failed'
  service.first = 'pinned'
  await until('another in its place', () => service.pins[0] !== first)
  t.deepEqual([service.pins.length, service.pins[0]!.status, service.pins[0]!.pin.cid], [1, 'pinned', await root()])
})

test('a token that expires ends nothing: the tree is pinned again once there is another', async t => {
  const service = await pinningService(t)
  const { host, mkdir, root } = await node(t, service)
  await until('a pin', () => service.pins.length === 1)
  service.keys.clear()
  const before = service.asked.length
  await mkdir('/a')
  await until('a try with the old token', () => service.asked.length > before)
  t.is(service.pins.length, 1)
  service.keys.add('fresh')
  await host.call('pin/remote/service/rm', { args: ['mine'] })
  await host.call('pin/remote/service/add', { args: ['mine', service.url, 'fresh'] })
  for (const [key, value] of [
    ['RepinInterval', '1ms'],
    ['Enable', 'true']
  ] as const)
    await host.call('config', { args: [`Pinning.RemoteServices.mine.Policies.MFS.${key}`, value], options: { bool: key === 'Enable' } })
  const now = await root()
  await until('the tree as it is now', () => service.pins.some(({ pin }) => pin.cid === now))
})

test('the environment says how often the tree is looked at', t => {
  t.is(pollInterval(30_000, {}), 30_000)
  t.is(pollInterval(30_000, { MFS_PIN_POLL_INTERVAL: '2s' }), 2000)
  t.is(pollInterval(30_000, { MFS_PIN_POLL_INTERVAL: '999999h' }), 2 ** 31 - 1)
  for (const value of ['soon', '0s', '-1s'])
    t.throws(() => pollInterval(30_000, { MFS_PIN_POLL_INTERVAL: value }), { code: 'E_REMOTE_POLL', message: /MFS_PIN_POLL_INTERVAL/ })
})
