import { z } from 'zod'
import { command, Network, optional, value } from '../../../core/index.ts'
import { onlineForAction } from '../../../core/network/index.ts'

export const addrs = command.read('swarm/addrs', {
  help: 'List the addresses that this node knows, by peer.',
  needs: { network: optional(Network) },
  reply: value(z.object({ Addrs: z.record(z.string(), z.array(z.string())) })),
  xml: 'addrMap',
  text: ({ Addrs }) =>
    Object.entries(Addrs)
      .map(([peer, addresses]) => `${peer} (${addresses.length})\n${addresses.map(address => `\t${address}\n`).join('')}`)
      .join(''),
  async run({ network }, { options }) {
    const known = await onlineForAction(network, options).peers()
    const found = known
      .filter(({ addresses }) => addresses.length > 0)
      .map(({ id, addresses }) => [id, [...addresses]] as [string, string[]])
    return { Addrs: Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1))) }
  }
})
