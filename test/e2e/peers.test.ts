import test from 'ava'
import { create } from 'kubo-rpc-client'
import type { Finding } from '../../host/cli/doctor/finding.ts'
import { commandLine } from '../helpers/process/command-line.ts'
import { until } from '../helpers/until.ts'
import { onlineDaemon } from './online-daemon.ts'

test("two daemons meet by Kubo's client, doctor tells who is alone, and both end when they are asked to", async t => {
  const [a, b] = await Promise.all([onlineDaemon(t), onlineDaemon(t)])
  t.regex(
    a.daemon.output(),
    /^Swarm listening on \/ip4\/127\.0\.0\.1\/tcp\/\d+\nSwarm listening on \/ip4\/127\.0\.0\.1\/udp\/\d+\/quic-v1\nSwarm listening on \/p2p-circuit\nSwarm announcing \/ip4\/127/m
  )
  const doctor = async () => {
    const { out } = await commandLine(['--repo', a.repo, '--config', a.config, 'doctor', '--json'], { cwd: a.folder })
    return (JSON.parse(out) as Finding[]).find(({ check }) => check === 'peers')
  }
  t.like(await doctor(), { state: 'warning', about: 'it is online and connected with nobody' })
  const [here, there] = [create({ url: a.daemon.url }), create({ url: b.daemon.url })]
  const { id, addresses, agentVersion } = await there.id()
  t.regex(agentVersion, /^holdfast\/.*\/tested$/)
  await here.swarm.connect(addresses[0]!)
  const [peer] = await here.swarm.peers({ identify: true })
  t.is(String(peer?.peer), String(id))
  t.is((await here.id({ peerId: id })).agentVersion, agentVersion)
  t.like(await doctor(), { state: 'ok', about: 'it is connected with 1 peer' })
  const pings = []
  for await (const one of here.ping(id, { count: 1 })) pings.push(one.success)
  t.deepEqual(pings, [true, true, true])
  await here.swarm.disconnect(addresses[0]!)
  const quic = addresses.find(address => `${address}`.includes('/quic-v1'))
  await here.swarm.connect(quic!)
  t.deepEqual(
    (await here.swarm.peers()).map(({ addr }) => `${addr}`),
    [`${quic}`.replace(/\/p2p\/.*/, '')]
  )
  t.deepEqual(await Promise.all([a.daemon.stop(), b.daemon.stop()]), [0, 0])
  for (const { daemon } of [a, b]) t.notRegex(daemon.output(), /left running/)
})

test("with the daemon's flag, a name that one publishes is heard of by another over pubsub, by Kubo's client", async t => {
  const [a, b] = await Promise.all([
    onlineDaemon(t, ['--enable-namesys-pubsub']),
    onlineDaemon(t, ['--enable-namesys-pubsub', '--routing=none'])
  ])
  const [here, there] = [create({ url: a.daemon.url }), create({ url: b.daemon.url })]
  t.deepEqual(await there.name.pubsub.state(), { enabled: true })
  const { id, addresses } = await here.id()
  await there.swarm.connect(addresses[0]!)
  const publish = async (path: string) => (await here.name.publish(path, { resolve: false, allowOffline: true })).name
  const name = await publish('/ipfs/bafkqaaa/1')
  const resolved = () => last(there.name.resolve(name)).catch(() => undefined)
  await until('the first is there', async () => (await resolved()) === '/ipfs/bafkqaaa/1')
  t.deepEqual(await there.name.pubsub.subs(), [`/ipns/${name}`])
  await publish('/ipfs/bafkqaaa/2')
  await until('the next is heard of', async () => (await resolved()) === '/ipfs/bafkqaaa/2')
  t.deepEqual(await there.pubsub.ls(), [`/record/${Buffer.concat([Buffer.from('/ipns/'), id.toMultihash().bytes]).toString('base64url')}`])
  t.deepEqual(await there.name.pubsub.cancel(name), { canceled: true })
  t.deepEqual(await there.name.pubsub.subs(), [])
  const { out } = await commandLine(['--repo', b.repo, '--config', b.config, 'config', 'show', '--explain'], { cwd: b.folder })
  t.regex(out, /Ipns\.UsePubsub.*gossipsub.*name-pubsub/)
  await resolved()
  await Promise.all([a.daemon.kill(), b.daemon.kill()])
  const [publisher, follower] = await Promise.all([a.again(), b.again()]).then(daemons => daemons.map(({ url }) => create({ url })))
  t.deepEqual(await follower!.name.pubsub.subs(), [], 'as in the reference')
  t.is(await last(publisher!.name.resolve(name)), '/ipfs/bafkqaaa/2', 'what was published outlives the process')
})

test('a flag of the daemon that says false leaves on what the configuration has on', async t => {
  const { daemon } = await onlineDaemon(t, ['--enable-namesys-pubsub=false', '--enable-pubsub-experiment=false'], {
    Ipns: { UsePubsub: true },
    Routing: { Type: 'none' }
  })
  t.deepEqual(await create({ url: daemon.url }).name.pubsub.state(), { enabled: true })
})

async function last<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  let found: T | undefined
  for await (const item of items) found = item
  return found
}
