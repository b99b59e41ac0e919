import { command, NodeConfigModel, Repo, value } from '../../../../../core/index.ts'
import { peerLines, peersReply, removeAllPeers } from '../../../bootstrap/list.ts'
import { ConfigurationSettings } from '../../../settings.ts'

export const rmAll = command.admin('bootstrap/rm/all', {
  help: 'Remove all peers that the node asks first.',
  examples: [{ title: 'Ask nobody first', args: 'bootstrap rm all' }],
  needs: { repo: Repo, model: NodeConfigModel, settings: ConfigurationSettings },
  reply: value(peersReply),
  xml: 'BootstrapOutput',
  text: peerLines('removed '),
  run: services => removeAllPeers(services)
})
