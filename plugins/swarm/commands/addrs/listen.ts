import { command, Network, optional, value } from '../../../../core/index.ts'
import { onlineForAction } from '../../../../core/network/index.ts'
import { orNull, stringLines, strings } from '../../replies.ts'

export const addrsListen = command({
  path: 'swarm/addrs/listen',
  access: 'read',
  help: 'List the addresses that this node listens on, with those of its interfaces.',
  needs: { network: optional(Network) },
  reply: value(strings),
  xml: 'stringList',
  text: stringLines,
  run: ({ network }, { options }) => ({ Strings: orNull(onlineForAction(network, options).listening()) })
})
