import { command, Network, optional, p } from '../../../../core/index.ts'
import { onlineForAction } from '../../../../core/network/index.ts'
import { orNull, stringList } from '../../replies.ts'

export const addrsLocal = command.read('swarm/addrs/local', {
  help: 'List the addresses that this node tells its peers.',
  needs: { network: optional(Network) },
  options: { id: p.bool("With this node's ID at their end.") },
  ...stringList,
  run({ network }, { options }) {
    const { self, announced } = { self: network?.self, announced: onlineForAction(network, options).announced() }
    return { Strings: orNull(options.id === true ? announced.map(address => `${address}/p2p/${self}`).sort() : announced) }
  }
})
