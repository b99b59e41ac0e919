import { z } from 'zod'
import { cidToString } from '../../../core/cid/parse.ts'
import { Bitswap, command, optional, p, Repo, value } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'

export const wantlist = command.read('bitswap/wantlist', {
  help: 'List the blocks that this node wants of its peers, or that a peer wants of it.',
  examples: [{ title: 'What this node waits for', args: 'bitswap wantlist' }],
  needs: { bitswap: optional(Bitswap), repo: Repo },
  options: { peer: p.string('The peer whose wants to list. Default: this node.').alias('p') },
  reply: value(z.object({ Keys: z.array(z.object({ '/': z.string() })).nullable() })),
  text: ({ Keys }) =>
    (Keys ?? [])
      .map(key => `${key['/']}\n`)
      .sort()
      .join(''),
  run({ bitswap, repo }, { options: { peer } }) {
    const online = onlineForCommand(bitswap)
    const id = peer === undefined ? undefined : peerIdString(parsePeerId(peer))
    const cids = id === undefined || id === repo.identity.peerId ? online.wantlist() : online.wantlistOf(id)
    return { Keys: cids === undefined ? null : cids.map(cid => ({ '/': cidToString(cid) })) }
  }
})
