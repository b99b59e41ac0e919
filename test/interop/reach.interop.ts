/** Peers with public addresses: what they find out about being reached, by AutoNAT v1 and v2. */
import test from 'ava'
import { until } from '../helpers/until.ts'
import { type Islands, islands } from './nodes/islands.ts'
import { built } from './nodes/kubo.ts'
import { start } from './nodes/pairs.ts'
import type { Peer, Program } from './nodes/peer.ts'

interface Reached {
  readonly reachability: string
  readonly reachable?: readonly string[]
}

const connected = async (one: Peer, other: Peer) => (await one.transports(other)).length > 0

const made = new Set<Islands>()
test.after.always(async () => {
  for (const one of made) await one.sink()
})

let where: Promise<Islands> | undefined
const net = () => {
  where ??= islands(2).then(found => {
    made.add(found)
    return found
  })
  return where
}

for (const program of [...built(), 'holdfast'] as const satisfies readonly Program[]) {
  const named = program === 'holdfast' ? 'another node of this make' : `Kubo ${program}`
  test.serial(`a node with a public address learns of ${named} that it is reached, and they stay connected`, async t => {
    let found: Islands
    try {
      found = await net()
    } catch (error) {
      t.log(`not tried: this machine makes no network namespaces: ${(error as Error).message.trim()}`)
      return t.pass()
    }
    const config = { 'Addresses.Swarm': ['/ip4/0.0.0.0/tcp/4001'] }
    const [ours, other] = await Promise.all([
      start('holdfast', { config, namespace: found.names[0]! }),
      start(program, { config, namespace: found.names[1]! })
    ])
    try {
      await ours.dial(`/ip4/11.7.0.2/tcp/4001/p2p/${other.id}`)
      const { reachability, reachable } = await until('somebody has dialled it', async () => {
        const said = await ours.json<Reached>('swarm/addrs/autonat')
        return said.reachable !== undefined && said
      })
      t.is(reachability, 'Public')
      t.like(await ours.json('swarm/reachability'), { Reachability: 'public', Reachable: ['/ip4/11.7.0.1/tcp/4001'] })
      t.deepEqual(reachable, ['/ip4/11.7.0.1/tcp/4001'])
      // each was asked, and has dialled the other: the connection over which they asked is open all the same
      await until('the other knows as much', async () => {
        if (program === '0.28') return /\/libp2p\/circuit\/relay\/0\.2\.0\/hop/.test(await other.ask('id'))
        return (await other.json<Reached>('swarm/addrs/autonat')).reachability === 'Public'
      })
      t.true(await connected(ours, other))
      t.true(await connected(other, ours))
    } finally {
      // the ports are those of the next pair
      await Promise.all([ours.close(), other.close()])
    }
  })
}
