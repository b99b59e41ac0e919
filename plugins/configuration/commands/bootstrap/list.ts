import { type Command, command, NodeConfigModel, Repo, value } from '../../../../core/index.ts'
import { bootstrapList, peerLines, peersReply } from '../../bootstrap/list.ts'
import { parsePeers, peerAddresses } from '../../bootstrap/peers.ts'

export const bootstrap = listing('bootstrap')
export const list = listing('bootstrap/list')

function listing(path: string): Command {
  return command({
    path,
    access: 'read',
    help: 'List the peers that the node asks first.',
    examples: [{ title: 'List the peers that the node asks first', args: path.replaceAll('/', ' ') }],
    needs: { repo: Repo, model: NodeConfigModel },
    reply: value(peersReply),
    xml: 'BootstrapOutput',
    text: peerLines(),
    async run(services) {
      return { Peers: peerAddresses(await parsePeers(bootstrapList(services, services.repo.config()))) }
    }
  })
}
