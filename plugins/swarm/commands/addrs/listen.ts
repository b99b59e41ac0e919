import { command, Network, optional } from '../../../../core/index.ts'
import { onlineForAction } from '../../../../core/network/index.ts'
import { orNull, stringList } from '../../replies.ts'

export const addrsListen = command.read('swarm/addrs/listen', {
  help: 'List the addresses that this node listens on, with those of its interfaces.',
  needs: { network: optional(Network) },
  ...stringList,
  run: ({ network }, { options }) => ({ Strings: orNull(onlineForAction(network, options).listening()) })
})
