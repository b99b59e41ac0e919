import { command, stream } from '../../../core/index.ts'
import { filterOptions, queryOf } from '../filters.ts'
import { remotePinReply, replyOf } from '../replies.ts'
import { RemoteServicesToken } from '../services.ts'

export const ls = command.read('pin/remote/ls', {
  help: 'List what a pinning service keeps, the newest first.',
  examples: [{ title: 'Ask what a service has not pinned yet', args: 'pin remote ls --service=mine --status=queued --status=pinning' }],
  needs: { services: RemoteServicesToken },
  options: filterOptions,
  reply: stream(remotePinReply),
  xml: 'RemotePinOutput',
  text: ({ Cid, Status, Name }) => `${Cid}\t${Status}\t${Name}\n`,
  async *run({ services }, { options, signal }) {
    const service = services.named(options.service, signal)
    for await (const pin of service.list(queryOf(options))) yield replyOf(pin)
  }
})
