/** This node and Kubo meet over each transport, whoever dials, and tell each other who they are. */
import test from 'ava'
import { eachPair, join } from './nodes/pairs.ts'
import type { Peer } from './nodes/peer.ts'

interface Identity {
  readonly ID: string
  readonly AgentVersion: string
  readonly Addresses: readonly string[]
  readonly Protocols: readonly string[]
  readonly PublicKey: string
}

/** What both speak. */
const SPOKEN = [
  '/ipfs/bitswap',
  '/ipfs/bitswap/1.0.0',
  '/ipfs/bitswap/1.1.0',
  '/ipfs/bitswap/1.2.0',
  '/ipfs/id/1.0.0',
  '/ipfs/id/push/1.0.0',
  '/ipfs/ping/1.0.0'
]

const identity = (peer: Peer, of = peer) => peer.json<Identity>(`id?arg=${of.id}`)

eachPair((version, transport, pair) => {
  for (const dialler of ['this node', 'Kubo']) {
    test.serial(`${dialler} dials over ${transport}, and each knows what the other is and pings it, Kubo ${version}`, async t => {
      const { ours, kubo } = await pair()
      const [one, other] = dialler === 'Kubo' ? [kubo, ours] : [ours, kubo]
      await join(one, other, transport)
      for (const [asks, of] of [
        [one, other],
        [other, one]
      ] as const) {
        const [seen, own] = [await identity(asks, of), await identity(of)]
        t.is(seen.AgentVersion, own.AgentVersion)
        t.is(seen.PublicKey, own.PublicKey)
        t.true(seen.Addresses.includes(of.address(transport)), `${seen.Addresses}`)
        for (const protocol of SPOKEN) t.true(seen.Protocols.includes(protocol), `${seen.AgentVersion}: ${protocol}`)
        const pongs = await asks.lines<{ Success: boolean; Time: number }>(`ping?arg=${of.id}&count=1`)
        t.is(pongs.filter(({ Success, Time }) => Success && Time > 0).length, 1)
      }
    })
  }
})
