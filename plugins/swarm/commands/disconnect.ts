import { command, messageOf, Network, optional, p } from '../../../core/index.ts'
import { onlineForAction } from '../../../core/network/index.ts'
import { type WayToPeer, waysToPeers } from '../addresses.ts'
import { swarmErrors } from '../errors.ts'
import { stringList } from '../replies.ts'

export const disconnect = command.admin('swarm/disconnect', {
  help: 'Close the connections with peers.',
  needs: { network: optional(Network) },
  args: { address: p.multiaddr('Addresses of peers; /p2p/ID alone stands for all connections with it.').many().fromBody() },
  ...stringList,
  async run({ network }, { args, options, signal }) {
    const lines: string[] = []
    for (const way of await waysToPeers(args.address, signal)) {
      try {
        await close(onlineForAction(network, options), way)
        lines.push(`disconnect ${way.peer} success`)
      } catch (error) {
        lines.push(`disconnect ${way.peer} failure: ${messageOf(error)}`)
      }
    }
    return { Strings: lines }
  }
})

async function close(network: Network, { peer, transport }: WayToPeer): Promise<void> {
  const connections = network.connections(peer)
  if (transport !== '') {
    const one = connections.find(({ address }) => address === transport)
    if (one === undefined) throw swarmErrors.E_SWARM_NO_CONNECTION()
    await one.close()
    return
  }
  if (connections.length === 0) throw swarmErrors.E_SWARM_NOT_CONNECTED()
  await Promise.all(connections.map(one => one.close()))
}
