import { z } from 'zod'
import { command, optional, Peering, value } from '../../../../core/index.ts'
import { onlineForCommand } from '../../../../core/network/index.ts'

export const peeringLs = command.read('swarm/peering/ls', {
  help: 'List the peers that this node stays connected with.',
  needs: { peering: optional(Peering) },
  reply: value(z.object({ Peers: z.array(z.object({ ID: z.string(), Addrs: z.array(z.string()) })) })),
  xml: 'addrInfos',
  text: ({ Peers }) => Peers.map(({ ID, Addrs }) => `${ID}\n${Addrs.map(address => `\t${address}\n`).join('')}`).join(''),
  run: ({ peering }) => ({
    Peers: onlineForCommand(peering)
      .list()
      .map(({ id, addresses }) => ({ ID: id, Addrs: [...addresses] }))
  })
})
