import { z } from 'zod'
import { Bitswap, command, optional, p, value } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'

export const ledger = command.read('bitswap/ledger', {
  help: 'Show what was exchanged with a peer since this node started.',
  examples: [{ title: 'What a peer was sent', args: 'bitswap ledger 12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG' }],
  needs: { bitswap: optional(Bitswap) },
  args: { peer: p.string('The ID of the peer.') },
  reply: value(
    z.object({
      Peer: z.string(),
      Value: z.number().describe('Bytes sent for each byte received.'),
      Sent: z.int().describe('Bytes.'),
      Recv: z.int().describe('Bytes.'),
      Exchanged: z.int().describe('Blocks, both ways.')
    })
  ),
  text: ({ Peer, Value, Sent, Recv, Exchanged }) =>
    `Ledger for ${Peer}\nDebt ratio:\t${Value.toFixed(6)}\nExchanges:\t${Exchanged}\nBytes sent:\t${Sent}\nBytes received:\t${Recv}\n\n`,
  run({ bitswap }, { args }) {
    const online = onlineForCommand(bitswap)
    const peer = peerIdString(parsePeerId(args.peer))
    const { sent, received, exchanged } = online.ledger(peer)
    return { Peer: peer, Value: sent / (received + 1), Sent: sent, Recv: received, Exchanged: exchanged }
  }
})
