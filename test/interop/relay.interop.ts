/** Who cannot be reached is reached through a relay of the other kind. */
import test from 'ava'
import { until } from '../helpers/until.ts'
import { built } from './nodes/kubo.ts'
import { start } from './nodes/pairs.ts'
import type { Peer, Program } from './nodes/peer.ts'

const RELAY = { 'Swarm.RelayService.Enabled': true, 'Internal.Libp2pForceReachability': 'public' }

/** Listens nowhere: who wants to reach it needs the relay. */
const behind = (relay: string) => ({
  'Addresses.Swarm': [],
  'Internal.Libp2pForceReachability': 'private',
  'Swarm.EnableHolePunching': false,
  'Swarm.RelayClient.Enabled': true,
  'Swarm.RelayClient.StaticRelays': [relay]
})

interface Connected {
  readonly Addr: string
  readonly Peer: string
  readonly Identify: { readonly AgentVersion: string }
}

/** The connections of a node with a peer, once the peer has told over each what it is. */
function identified(one: Peer, other: Peer): Promise<Connected[]> {
  return until('the other is known', async () => {
    const { Peers } = await one.json<{ Peers: readonly Connected[] | null }>('swarm/peers?identify=true')
    const all = (Peers ?? []).filter(({ Peer }) => Peer === other.id)
    return all.length > 0 && all.every(({ Identify }) => Identify.AgentVersion !== '') && all
  })
}

for (const version of built()) {
  for (const [relaying, hidden] of [
    [version, 'holdfast'],
    ['holdfast', version]
  ] as const satisfies ReadonlyArray<readonly [Program, Program]>) {
    const named = (program: Program) => (program === 'holdfast' ? 'this node' : 'Kubo')
    let standing: Promise<readonly [Peer, Peer]> | undefined
    const both = () => {
      standing ??= start(relaying, { config: RELAY }).then(
        async relay => [relay, await start(hidden, { config: behind(relay.address('tcp')) })] as const
      )
      return standing
    }
    for (const dialling of ['holdfast', version] as const) {
      test.serial(`${named(dialling)} reaches ${named(hidden)} behind a relay that is ${named(relaying)}, Kubo ${version}`, async t => {
        const [relay, target] = await both()
        // who takes no place on a relay dials through one all the same
        const dialler = await start(dialling, { config: { 'Swarm.EnableHolePunching': false, 'Swarm.RelayClient.Enabled': false } })
        const address = `${relay.address('tcp')}/p2p-circuit/p2p/${target.id}`
        await until(
          'it has a place on the relay',
          () =>
            dialler.dial(address).then(
              () => true,
              () => false
            ),
          30_000
        )
        for (const [one, other] of [
          [dialler, target],
          [target, dialler]
        ] as const) {
          const connections = await identified(one, other)
          const { AgentVersion } = await other.json<{ AgentVersion: string }>('id')
          t.true(
            connections.every(({ Addr, Identify }) => Addr.includes('p2p-circuit') && Identify.AgentVersion === AgentVersion),
            JSON.stringify(connections)
          )
        }
        // Kubo pings no Kubo behind a relay of this machine alone, as it keeps no address of it
        if (dialling === 'holdfast' || hidden === 'holdfast') {
          const pongs = await dialler.lines<{ Success: boolean; Time: number }>(`ping?arg=${target.id}&count=1`)
          t.is(pongs.filter(({ Success, Time }) => Success && Time > 0).length, 1)
        }
        await dialler.close()
      })
    }
  }
}
