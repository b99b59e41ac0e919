import { command, optional, Peering, p, stream } from '../../../../core/index.ts'
import { parseAddressOfPeer } from '../../../../core/multiaddr/index.ts'
import { onlineForCommand } from '../../../../core/network/index.ts'
import { byPeer } from '../../addresses.ts'
import { peeringStatus } from '../../replies.ts'

export const peeringAdd = command.admin('swarm/peering/add', {
  help: 'Stay connected with peers until this node stops. Peering.Peers of the node configuration is for longer.',
  needs: { peering: optional(Peering) },
  args: { address: p.multiaddr('Addresses of peers, each ending in /p2p/ID.').many().fromBody() },
  reply: stream(peeringStatus),
  xml: 'peeringResult',
  text: ({ ID, Status }) => `add ${ID} ${Status}\n`,
  async *run({ peering }, { args }) {
    const ways = []
    for (const address of args.address) ways.push(await parseAddressOfPeer(address))
    const online = onlineForCommand(peering)
    for (const [ID, addresses] of byPeer(ways)) {
      online.add(ID, addresses)
      yield { ID, Status: 'success' }
    }
  }
})
