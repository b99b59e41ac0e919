/** What `Swarm.ResourceMgr` and `Swarm.ConnMgr` say holds, by real connections. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Libp2p } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { linesOf } from '../../helpers/log.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

type Shown = Record<string, number | string>
interface Resources {
  readonly System: Shown
  readonly Protocols: Record<string, Shown>
  readonly Peers: Record<string, Shown>
}

const resources = async (node: OnlineNode) => (await node.host.call('swarm/resources')) as Resources
const dial = (from: OnlineNode, to: OnlineNode) => from.network.dial(to.network.self, to.network.announced())
const others = (t: ExecutionContext, count: number) =>
  Promise.all(Array.from({ length: count }, () => onlineNode(t, { node: { 'Routing.Type': 'none' } })))

/** A node with limits of single parts in the file of its repo. */
async function limited(t: ExecutionContext, overrides: object, node = {}): Promise<OnlineNode> {
  const repo = join(await temporaryFolder(t), 'repo')
  await mkdir(repo)
  await writeFile(join(repo, 'libp2p-resource-limit-overrides.json'), JSON.stringify(overrides))
  return onlineNode(t, { repo, node: { 'Routing.Type': 'none', 'Swarm.ConnMgr.HighWater': 1, 'Swarm.ConnMgr.LowWater': 1, ...node } })
}

test('more inbound connections than System.ConnsInbound are refused with a line in the log, but for those of Allowlist', async t => {
  const node = await limited(t, { System: { ConnsInbound: 2 } }, { 'Swarm.ConnMgr.GracePeriod': '1h' })
  const lines = linesOf(node.host, 'network')
  const [a, b, c] = (await others(t, 3)) as [OnlineNode, OnlineNode, OnlineNode]
  await dial(a, node)
  await dial(b, node)
  t.like((await resources(node)).System, { ConnsInbound: 2, ConnsInboundUsage: 2, ConnsOutboundUsage: 0 })
  await t.throwsAsync(dial(c, node), { code: 'E_DIAL' })
  await until('the log says why', () => lines.some(line => /refused a connection of 127\.0\.0\.1: .*Swarm\.ResourceMgr/.test(line)))
  t.is(node.network.connections().length, 2)
  await a.host.stop()
  await until('there is room again', () => dial(c, node).catch(() => undefined))
  const open = await limited(
    t,
    { System: { ConnsInbound: 1 } },
    { 'Swarm.ResourceMgr.Allowlist': ['/ip4/127.0.0.0/ipcidr/8'], 'Swarm.ConnMgr.GracePeriod': '1h' }
  )
  await dial(b, open)
  await dial(c, open)
  t.is(open.network.connections().length, 2)
})

test('a peer has so many connections as PeerDefault says, and one that is named as many as its own limit', async t => {
  const [a, b] = (await others(t, 2)) as [OnlineNode, OnlineNode]
  const node = await limited(
    t,
    { PeerDefault: { ConnsInbound: 1 }, Peer: { [b.network.self]: { ConnsInbound: 2 } } },
    { 'Swarm.ConnMgr.GracePeriod': '1h' }
  )
  const lines = linesOf(node.host, 'network')
  const [address] = node.addresses()
  const again = (from: OnlineNode) => from.network.libp2p<Libp2p>().dial(multiaddr(address!), { force: true })
  await again(a)
  await again(b)
  await again(b)
  await again(a).catch(() => {})
  await until('the log says why', () => lines.some(line => line.includes(`a connection of the peer ${a.network.self}`)))
  t.is(node.network.connections(a.network.self).length, 1)
  t.is(node.network.connections(b.network.self).length, 2)
  t.like((await resources(node)).Peers[b.network.self], { ConnsInbound: 2, ConnsInboundUsage: 2 })
})

test('more streams of a protocol than its limit are torn with a line in the log, and the others go on', async t => {
  const node = await limited(t, { Protocol: { '/x/few': { StreamsInbound: 2 }, '/x/none': { StreamsInbound: 'blockAll' } } })
  const lines = linesOf(node.host, 'network')
  for (const protocol of ['/x/few', '/x/none']) {
    await node.network.handle(protocol, async stream => {
      for await (const part of stream) await stream.write(part)
    })
  }
  const [a] = (await others(t, 1)) as [OnlineNode]
  await dial(a, node)
  /** Whether what is written comes back. */
  const echo = async (protocol: string) => {
    const stream = await a.network.open(node.network.self, protocol)
    await stream.write(Buffer.from('x'))
    for await (const part of stream) return { stream, back: Buffer.from(part).toString() }
    throw new Error('torn')
  }
  const [first] = await Promise.all([echo('/x/few'), echo('/x/few')])
  t.is(first.back, 'x')
  t.like((await resources(node)).Protocols['/x/few'], { StreamsInbound: 2, StreamsInboundUsage: 2 })
  await t.throwsAsync(echo('/x/few'))
  await t.throwsAsync(echo('/x/none'))
  for (const [protocol, most] of [
    ['/x/few', 2],
    ['/x/none', 0]
  ] as const) {
    await until('the log says why', () =>
      lines.some(line => line.includes(`a stream of ${protocol} of the peer ${a.network.self}: more than ${most} are open`))
    )
  }
  first.stream.abort()
  await until('there is room again', () => echo('/x/few').catch(() => undefined))
  t.true((await a.network.ping(node.network.self)) >= 0)
})

test('above HighWater connections are closed down to LowWater, those that are worth least first, none that is protected', async t => {
  const node = await onlineNode(t, {
    node: { 'Routing.Type': 'none', 'Swarm.ConnMgr.HighWater': 4, 'Swarm.ConnMgr.LowWater': 2, 'Swarm.ConnMgr.GracePeriod': '0s' }
  })
  const all = await others(t, 5)
  const [kept, valued, ...unprotected] = all.map(({ network }) => network.self)
  node.network.protect(kept!, 'test')
  await node.network.tag(valued!, 'test', 10)
  for (const one of all.slice(0, 4)) await dial(one, node)
  t.is(node.network.connections().length, 4, 'as many as the high mark stay')
  await dial(all[4]!, node).catch(() => {})
  await until('two are left', () => node.network.connections().length === 2)
  t.deepEqual(new Set(node.network.connections().map(({ peer }) => peer)), new Set([kept!, valued!]))
  t.true(unprotected.every(peer => node.network.connections(peer).length === 0))
})

test('new connections are left alone for GracePeriod, and closed after it though no further one comes', async t => {
  const node = await onlineNode(t, {
    node: { 'Routing.Type': 'none', 'Swarm.ConnMgr.HighWater': 2, 'Swarm.ConnMgr.LowWater': 1, 'Swarm.ConnMgr.GracePeriod': '3s' }
  })
  const began = Date.now()
  for (const one of await others(t, 3)) await dial(one, node)
  if (Date.now() - began < 3_000) t.is(node.network.connections().length, 3)
  await until('one is left', () => node.network.connections().length === 1)
  t.true(Date.now() - began >= 3_000)
})
