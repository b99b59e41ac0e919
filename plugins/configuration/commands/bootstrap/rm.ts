import { command, NodeConfigModel, p, Repo, value } from '../../../../core/index.ts'
import { peerLines, peersReply, removeAllPeers, removePeers } from '../../bootstrap/list.ts'
import { ConfigurationSettings } from '../../settings.ts'

interface Listed {
  readonly Peers?: readonly string[]
}

export const rm = command.admin('bootstrap/rm', {
  help: 'Ask peers no longer first: an address, or with /p2p/… alone all addresses of a peer.',
  examples: [{ title: 'Remove all addresses of a peer', args: 'bootstrap rm /p2p/QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN' }],
  needs: { repo: Repo, model: NodeConfigModel, settings: ConfigurationSettings },
  args: {
    peer: p
      .multiaddr('Address of a peer, with its ID.')
      .many()
      .optional()
      .fromBody()
      .completedBy('bootstrap/list', ({ Peers = [] }: Listed) => Peers)
  },
  options: { all: p.bool('Remove all, whatever is named.').default(false) },
  reply: value(peersReply),
  xml: 'BootstrapOutput',
  text: peerLines('removed '),
  run: (services, { args, options }) => (options.all ? removeAllPeers(services) : removePeers(services, args.peer))
})
