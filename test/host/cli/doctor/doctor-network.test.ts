import { once } from 'node:events'
import { utimes, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import type { Finding } from '../../../../host/cli/doctor/finding.ts'
import { launchDaemon } from '../../../helpers/process/daemon.ts'
import { changeConfig, doctor, repoIn } from './patient.ts'

test('of a node with peers the ports for them and the peers to begin with are looked at', async t => {
  const { folder, repo } = await repoIn(t)
  const file = join(folder, 'peers.json')
  await writeFile(file, JSON.stringify({ plugins: { network: 'on' } }))
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  const { port } = server.address() as AddressInfo
  const peer = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
  await changeConfig(repo, config => {
    const Swarm = [`/ip4/127.0.0.1/tcp/${port}`, '/ip4/127.0.0.1/tcp/0/ws', '/ip4/127.0.0.1/udp/0/quic-v1', '/ip4/203.0.113.7/tcp/1']
    config['Addresses'] = { ...(config['Addresses'] as object), Swarm }
    config['Bootstrap'] = ['junk', '/ip4/192.0.2.1/tcp/1', `/ip4/192.0.2.1/tcp/1/p2p/${peer}`]
  })
  const { code, of } = await doctor(folder, repo, '--config', file)
  t.is(code, 0, 'the node starts')
  const told = (check: Finding['check']) => of(check).map(({ state, about }) => `${state}: ${about}`)
  t.deepEqual(
    told('ports').filter(line => line.includes('peers')),
    [
      `warning: another program listens on /ip4/127.0.0.1/tcp/${port}, where peers would reach the node`,
      'ok: /ip4/127.0.0.1/tcp/0 is free for peers',
      'ok: /ip4/127.0.0.1/udp/0 is free for peers'
    ]
  )
  t.deepEqual(told('bootstrap'), [
    `warning: 'junk' is passed over: failed to parse multiaddr "junk": must begin with /`,
    `warning: '/ip4/192.0.2.1/tcp/1' is passed over: invalid p2p multiaddr`,
    'ok: 1 address to begin with'
  ])
  await writeFile(join(repo, 'swarm.key'), '')
  t.regex((await doctor(folder, repo, '--config', file)).of('routing')[0]!.about, /^asked: the DHT \(auto\); /, 'in a private network')
})

test('a clock that is behind is told', async t => {
  const { folder, repo } = await repoIn(t)
  const later = new Date(Date.now() + 3_600_000)
  await utimes(join(repo, 'config'), later, later)
  const [found] = (await doctor(folder, repo)).of('clock')
  t.is(found?.state, 'warning')
  t.true(found?.about.includes(`${join(repo, 'config')} was written at ${later.toISOString()}`), found?.about)
})

test('whether peers reach a node that runs is told', async t => {
  const { folder, repo } = await repoIn(t)
  await changeConfig(repo, config => {
    config['Addresses'] = { ...(config['Addresses'] as object), Swarm: ['/ip4/127.0.0.1/tcp/0'] }
    config['Bootstrap'] = []
    config['Discovery'] = { MDNS: { Enabled: false } }
    config['Internal'] = { Libp2pForceReachability: 'private' }
    config['Routing'] = { Type: 'none' }
    config['Swarm'] = { ...(config['Swarm'] as object), DisableNatPortMap: true }
  })
  const file = join(folder, 'peers.json')
  await writeFile(file, JSON.stringify({ plugins: { network: 'on' } }))
  const launched = launchDaemon(repo, { online: true, globalArgs: ['--config', file] })
  t.teardown(() => launched.kill())
  await launched.ready
  const { code, of } = await doctor(folder, repo, '--config', file)
  t.is(code, 0)
  t.like(of('reachability')[0], { state: 'warning', about: 'peers do not reach the node from beyond its network' })
})
