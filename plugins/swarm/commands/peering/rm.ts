import { command, optional, Peering, p, stream } from '../../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../../core/keys/index.ts'
import { onlineForCommand } from '../../../../core/network/index.ts'
import { peeringStatus } from '../../replies.ts'

export const peeringRm = command.admin('swarm/peering/rm', {
  help: 'Stay connected with peers no longer. Connections that are open are not closed.',
  needs: { peering: optional(Peering) },
  args: { id: p.peerId('The peers.').raw().wire('ID').many().fromBody() },
  reply: stream(peeringStatus),
  xml: 'peeringResult',
  text: ({ ID, Status }) => `remove ${ID} ${Status}\n`,
  async *run({ peering }, { args }) {
    const online = onlineForCommand(peering)
    const peers = args.id.map(id => peerIdString(parsePeerId(id)))
    for (const ID of peers) {
      online.remove(ID)
      yield { ID, Status: 'success' }
    }
  }
})
