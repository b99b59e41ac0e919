import { mkdir, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Libp2p } from '@libp2p/interface'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

test('peers meet over WebSockets, and secured by TLS where one of them has no Noise', async t => {
  const [a, b] = await Promise.all([
    onlineNode(t),
    onlineNode(t, {
      node: { 'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0/ws'], 'Swarm.Transports.Security.Noise': false }
    })
  ])
  t.regex(b.network.announced().join(), /\/ws$/)
  const { address } = await a.network.dial(b.network.self, b.network.announced())
  t.regex(address, /\/ws$/)
  t.true((await a.network.ping(b.network.self)) >= 0)
  const [connection] = a.network.libp2p<Libp2p>().getConnections()
  t.is(connection?.encryption, '/tls/1.0.0')
})

test('peers over TCP that have TLS alone agree on the muxer as they shake hands, know each other, and part in order', async t => {
  const node = { 'Swarm.Transports.Security.Noise': false }
  const [a, b] = await Promise.all([onlineNode(t, { node }), onlineNode(t, { node })])
  await a.network.dial(b.network.self, b.network.announced())
  const [connection] = a.network.libp2p<Libp2p>().getConnections()
  t.like(connection, { encryption: '/tls/1.0.0', multiplexer: '/yamux/1.0.0' })
  t.true((await b.network.ping(a.network.self)) >= 0)
  t.is((await a.network.peer(b.network.self))?.agent, b.network.agent)
  await connection!.close()
  await until('it is over for the other side', () => b.network.connections().length === 0)
  // another than who is there
  const other = await onlineNode(t, { node })
  const error = await t.throwsAsync(a.network.dial(other.network.self, b.network.announced()))
  t.true(
    error.message.includes(`peer id mismatch: expected ${other.network.self}, but remote key matches ${b.network.self}`),
    error.message
  )
})

test('a WebSocket over which a connection is aborted is over for the other side at once, whoever aborts it', async t => {
  const listening = await onlineNode(t, { node: { 'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0/ws'] } })
  const dialling = await onlineNode(t)
  for (const [aborts, other] of [
    [listening, dialling],
    [dialling, listening]
  ] as const) {
    await dialling.network.dial(listening.network.self, listening.network.announced())
    const connections = () => other.network.connections(aborts.network.self)
    await until('both are connected', () => connections().length === 1 && aborts.network.connections(other.network.self).length === 1)
    // the message of yamux that it goes away does not come as well
    const [connection] = aborts.network.libp2p<Libp2p>().getConnections()
    ;(connection as unknown as { maConn: { abort(error: Error): void } }).maConn.abort(new Error('enough'))
    await until('it is over', () => connections().length === 0)
  }
  t.pass()
})

test('addresses that no transport knows are left out; a port that is taken is an error where it is the only one', async t => {
  const known = '/ip4/127.0.0.1/tcp/0'
  const node = await onlineNode(t, {
    node: { 'Addresses.Swarm': [known, '/ip4/127.0.0.1/udp/0/quic-v1', '/ip4/127.0.0.1/udp/0/quic-v1/webtransport'] }
  })
  t.is(node.network.listening().filter(address => address.includes('/tcp/')).length, 1)
  const taken = createServer()
  const port = await new Promise<number>(resolve => taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)))
  t.teardown(() => void taken.close())
  const address = `/ip4/127.0.0.1/tcp/${port}`
  await t.throwsAsync(onlineNode(t, { node: { 'Addresses.Swarm': [address] } }), { message: new RegExp(`${address}.*(in use|EADDRINUSE)`) })
  const other = await onlineNode(t, { node: { 'Addresses.Swarm': [address, known] } })
  t.is(other.network.listening().filter(listened => listened.includes('/tcp/')).length, 1)
})

test('limits of the file in the repo come before those of the configuration, and a file that is none is named', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  await mkdir(repo)
  const file = join(repo, 'libp2p-resource-limit-overrides.json')
  await writeFile(file, JSON.stringify({ System: { Conns: 200, Memory: '1024' }, Protocol: { '/x/one': { Streams: 'blockAll' } } }))
  const { host } = await onlineNode(t, { repo })
  const shown = (await host.call('swarm/resources')) as { System: object; Protocols: Record<string, object> }
  t.like(shown.System, { Conns: 200, Memory: '1024', Streams: 'unlimited' })
  t.like(shown.Protocols['/x/one'], { Streams: 'blockAll' })
  await host.stop()
  await writeFile(file, '{"System":{"Conns":"many"}}')
  await t.throwsAsync(onlineNode(t, { repo }), { message: /libp2p-resource-limit-overrides\.json/ })
  await writeFile(file, '{"System":{"ConnsInbound":96}}')
  await t.throwsAsync(onlineNode(t, { repo }), { message: /System\.ConnsInbound \(96\) must be above Swarm\.ConnMgr\.HighWater/ })
})

test('who sends what is no negotiation is cut off at once, and keeps nobody else away', async t => {
  const victim = await onlineNode(t, { network: { negotiationTimeout: 3_600_000, maxPendingInbound: 1 } })
  const [address = ''] = victim.network.announced()
  const port = Number(/\/tcp\/(\d+)/.exec(address)?.[1])
  for (const garbage of [Buffer.alloc(100_000, 0xff), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => void socket.destroy())
    socket
      .on('error', () => {})
      .resume()
      .write(garbage)
    await until('the connection is closed', () => socket.closed)
  }
  const honest = await onlineNode(t)
  await until('there is room for others', () =>
    honest.network.dial(victim.network.self, [address]).then(
      () => true,
      () => false
    )
  )
  t.is(honest.network.connections(victim.network.self).length, 1)
})
