import { command, NodeConfigModel, p, Repo, value } from '../../../../core/index.ts'
import { addPeers, checkPeers, peerLines, peersReply } from '../../bootstrap/list.ts'
import { ConfigurationSettings } from '../../settings.ts'

export const add = command({
  path: 'bootstrap/add',
  access: 'admin',
  blocks: 'neither',
  help: 'Put peers in front of those that the node asks first.',
  examples: [
    {
      title: 'Add a peer',
      args: 'bootstrap add /dnsaddr/boot.example.org/p2p/QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN'
    }
  ],
  needs: { repo: Repo, model: NodeConfigModel, settings: ConfigurationSettings },
  args: { peer: p.multiaddr('Address of a peer, with its ID.').many().optional().fromBody() },
  options: { default: p.bool('Add the peers of a new node, and no others.').default(false) },
  reply: value(peersReply),
  xml: 'BootstrapOutput',
  text: peerLines('added '),
  async run(services, { args, options }) {
    return addPeers(services, options.default ? services.model.bootstrapPeers : await checkPeers(args.peer))
  }
})
