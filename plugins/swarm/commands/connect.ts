import { command, Network, optional, p, prefixed } from '../../../core/index.ts'
import { onlineForAction } from '../../../core/network/index.ts'
import { byPeer, waysToPeers } from '../addresses.ts'
import { stringList } from '../replies.ts'

/** The weight of a peer that somebody asked for (Kubo 0.28, core/coreapi/swarm.go). */
const WORTH = { name: 'user-connect', value: 100 }

export const connect = command.admin('swarm/connect', {
  help: 'Open a connection to peers.',
  examples: [
    {
      title: 'Connect to a peer by its address',
      args: 'swarm connect /ip4/192.0.2.7/tcp/4001/p2p/12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
    }
  ],
  needs: { network: optional(Network) },
  args: { address: p.multiaddr('Addresses of peers, each ending in /p2p/ID.').many().fromBody() },
  ...stringList,
  async run({ network }, { args, options, signal }) {
    const lines: string[] = []
    for (const [peer, addresses] of byPeer(await waysToPeers(args.address, signal))) {
      try {
        const online = onlineForAction(network, options)
        await online.dial(peer, addresses, { signal })
        await online.tag(peer, WORTH.name, WORTH.value)
      } catch (error) {
        throw prefixed(`connect ${peer} failure: `, error)
      }
      lines.push(`connect ${peer} success`)
    }
    return { Strings: lines }
  }
})
