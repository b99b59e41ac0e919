import { command, Host, NodeConfigModel, Repo, value } from '../../../../../core/index.ts'
import { addPeers, defaultPeers, peerLines, peersReply } from '../../../bootstrap/list.ts'
import { ConfigurationSettings } from '../../../settings.ts'

export const addDefault = command.admin('bootstrap/add/default', {
  help: 'Put the peers of a new node in front of those that the node asks first.',
  examples: [{ title: 'Ask the peers again that a new node asks', args: 'bootstrap add default' }],
  needs: { repo: Repo, model: NodeConfigModel, settings: ConfigurationSettings, host: Host },
  reply: value(peersReply),
  xml: 'BootstrapOutput',
  text: peerLines('added '),
  run: async services => addPeers(services, defaultPeers(services))
})
