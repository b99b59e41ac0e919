import { z } from 'zod'
import { command, optional, Pubsub, p, prefixed, value } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'

export const reset = command.admin('pubsub/reset', {
  status: 'newer',
  help: 'Forget which messages of peers were seen, so that those of a peer that began its sequence numbers anew arrive.',
  examples: [
    { title: 'Forget the messages of one peer', args: 'pubsub reset --peer=12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG' }
  ],
  needs: { pubsub: optional(Pubsub) },
  options: { peer: p.peerId('Only the messages of this peer.').alias('p').raw() },
  reply: value(z.object({ deleted: z.int().describe('How many peers had sent some.') })),
  text: ({ deleted }, { options: { peer = '' } }) => {
    if (peer === '') return `Reset validator state for ${deleted} peer(s)\n`
    return deleted === 0 ? `No validator state found for peer ${peer}\n` : `Reset validator state for peer ${peer}\n`
  },
  run({ pubsub }, { options: { peer = '' } }) {
    const id = peer === '' ? undefined : parsed(peer)
    return { deleted: pubsub?.enabled ? pubsub.forgetSeen(id) : 0 }
  }
})

function parsed(text: string): string {
  try {
    return peerIdString(parsePeerId(text))
  } catch (error) {
    throw prefixed('invalid peer ID: ', error)
  }
}
