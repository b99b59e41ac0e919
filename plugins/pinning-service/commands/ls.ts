import { z } from 'zod'
import { command, p, stream } from '../../../core/index.ts'
import { PinningServiceToken } from '../service.ts'

export const ls = command.read('pin/service/ls', {
  help: 'List what clients of this pinning service ask this node to keep, client by client, the newest first.',
  examples: [
    { title: 'What does a client have kept?', args: 'pin service ls --token=alice' },
    { title: 'Everything, as JSON', args: 'pin service ls --encoding=json' }
  ],
  needs: { service: PinningServiceToken },
  options: { token: p.string('Only requests of this token, by its name.') },
  reply: stream(
    z.object({
      RequestId: z.string(),
      Token: z.string(),
      Cid: z.string(),
      Name: z.string(),
      Status: z.string(),
      Created: z.string(),
      Details: z.string().optional()
    })
  ),
  text: ({ RequestId, Token, Cid, Status, Name }) => `${RequestId}\t${Token}\t${Cid}\t${Status}\t${Name}\n`,
  async *run({ service }, { options, signal }) {
    for await (const { id, owner, pin, status, created, details } of service.list(options.token, signal))
      yield {
        RequestId: id,
        Token: owner,
        Cid: pin.cid,
        Name: pin.name ?? '',
        Status: status,
        Created: created,
        ...(details !== undefined && { Details: details })
      }
  }
})
