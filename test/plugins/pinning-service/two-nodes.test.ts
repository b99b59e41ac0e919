import test, { type ExecutionContext } from 'ava'
import { itemsOf, serve } from '../../../host/testing.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { added, connected } from '../bitswap/nodes.ts'
import { type ServingNode, served } from './world.ts'

interface Line {
  readonly Status: string
  readonly Cid: string
  readonly Name: string
}

interface Node {
  readonly online: OnlineNode
  readonly serving: ServingNode
  remote(verb: 'add' | 'ls' | 'rm', options?: Record<string, unknown>, args?: string[]): Promise<Line[]>
}

/** A node with peers that serves pins on this machine. */
async function node(t: ExecutionContext, settings: Record<string, unknown> = {}): Promise<Node> {
  const on = {
    'pinning-service': { port: 0, privateOrigins: true, limits: { perSecond: 1000, burst: 1000 }, ...settings },
    'remote-pins': { pollInterval: 20, policyInterval: 20 }
  }
  const online = await onlineNode(t, { on, node: { 'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0' } })
  const { listeners } = await serve(online.host)
  const serving = await served(online.host, listeners['pinning-service']!)
  const remote: Node['remote'] = async (verb, options = {}, args = []) => {
    const reply = await online.host.call(`pin/remote/${verb}`, { args, options: { service: 'other', ...options } })
    return reply === undefined ? [] : itemsOf<Line>(reply)
  }
  return { online, serving, remote }
}

/** Two nodes, each of which has the other as a service. */
async function pair(t: ExecutionContext): Promise<[Node, Node]> {
  const [a, b] = [await node(t), await node(t)]
  for (const [one, other] of [
    [a, b],
    [b, a]
  ] as const)
    await one.online.host.call('pin/remote/service/add', { args: ['other', other.serving.url, other.serving.token] })
  return [a, b]
}

test('two nodes that have never met pin at each other: each fetches from the one that asks', async t => {
  const [a, b] = await pair(t)
  for (const [from, to, text] of [
    [a, b, 'of a'],
    [b, a, 'of b']
  ] as const) {
    const cid = await added(from.online, { 'd/one': `${text} one`, 'd/two': `${text} two`.repeat(100_000) }, { cidVersion: 1 })
    t.deepEqual(await from.remote('add', { name: 'folder' }, [cid]), [{ Status: 'pinned', Cid: cid, Name: 'folder' }])
    t.true((await to.serving.pins()).includes(`${cid} recursive pinning-service`))
    t.deepEqual(await from.remote('ls'), [{ Status: 'pinned', Cid: cid, Name: 'folder' }])
    const { results } = (await to.serving.ask('GET', '/pins')).json
    t.deepEqual(results[0]!.delegates, to.online.addresses())
    await from.remote('rm', { name: 'folder' })
    t.deepEqual(await from.remote('ls'), [])
    t.false((await to.serving.pins()).some(pin => pin.startsWith(cid)))
  }
})

test('hundreds of pins are listed page by page and removed at once', async t => {
  const [a, b] = await pair(t)
  const cid = await added(a.online, 'one', { cidVersion: 1 })
  await connected(a.online, b.online)
  const names = Array.from({ length: 250 }, (_, i) => `pin ${i}`)
  for (const name of names) await b.serving.post(cid, { name })
  const listed = await a.remote('ls', { status: ['queued', 'pinning', 'pinned', 'failed'] })
  t.deepEqual(
    listed.map(({ Name }) => Name),
    names.toReversed()
  )
  await a.remote('rm', { force: true, status: ['queued', 'pinning', 'pinned', 'failed'] })
  t.is((await b.serving.ask('GET', '/pins?status=queued,pinning,pinned,failed')).json.count, 0)
})

test('the mutable tree of one is kept at the other as it changes, and what is not in it any more goes', async t => {
  const [a, b] = await pair(t)
  const set = (key: string, value: string, bool = false) =>
    a.online.host.call('config', { args: [`Pinning.RemoteServices.other.Policies.MFS.${key}`, value], options: { bool } })
  await set('RepinInterval', '1ms')
  await set('PinName', 'tree')
  await set('Enable', 'true', true)
  const root = async () => ((await a.online.host.call('files/stat', { args: ['/'] })) as { Hash: string }).Hash
  const keptAlone = (cid: string) =>
    until(
      `${cid} at the other`,
      async () => (await b.serving.pins()).filter(pin => pin.endsWith('pinning-service')).join() === `${cid} recursive pinning-service`
    )
  for (const path of ['/one', '/two']) {
    await a.online.host.call('files/mkdir', { args: [path] })
    await keptAlone(await root())
  }
  t.is((await b.serving.ask('GET', '/pins')).json.results[0]!.pin.name, 'tree')
})

test('a token that has been taken away is told in the words of the service', async t => {
  const [a, b] = await pair(t)
  await b.online.host.call('pin/service/token/rm', { args: ['alice'] })
  await t.throwsAsync(a.remote('ls'), { code: 'E_REMOTE_REFUSED', message: /reason: "UNAUTHORIZED".*401 Unauthorized/ })
})

test('without `privateOrigins` nobody is dialled at an address of this machine', async t => {
  const [a, b] = [await node(t), await node(t, { privateOrigins: false, limits: { stallTimeout: 1000 } })]
  const cid = await added(a.online, 'one', { cidVersion: 1 })
  const { requestid } = await b.serving.post(cid, { origins: a.online.addresses() })
  await b.serving.has(requestid, 'failed')
  t.deepEqual(b.online.network.connections(), [])
})
