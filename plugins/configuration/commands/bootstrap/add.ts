import { command, Host, NodeConfigModel, p, Repo, value } from '../../../../core/index.ts'
import { AUTO, addPeers, checkPeers, defaultPeers, peerLines, peersReply } from '../../bootstrap/list.ts'
import { ConfigurationSettings } from '../../settings.ts'

export const add = command.admin('bootstrap/add', {
  help: 'Put peers in front of those that the node asks first.',
  examples: [{ title: 'Add a peer', args: 'bootstrap add /dnsaddr/boot.example.org/p2p/QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN' }],
  needs: { repo: Repo, model: NodeConfigModel, settings: ConfigurationSettings, host: Host },
  args: { peer: p.multiaddr('Address of a peer, with its ID.').many().optional().fromBody() },
  // later versions have the word `auto` instead
  levels: { '0.42': { options: {} } },
  options: { default: p.bool('Add the peers of a new node, and no others.').default(false) },
  reply: value(peersReply),
  xml: 'BootstrapOutput',
  text: peerLines('added '),
  async run(services, { args, options }) {
    if (options.default) return addPeers(services, services.model.bootstrapPeers)
    const isNewer = services.host.level !== '0.28'
    const peers = args.peer.flatMap(peer => (isNewer && peer === AUTO ? defaultPeers(services) : [peer]))
    return addPeers(services, await checkPeers(peers))
  }
})
