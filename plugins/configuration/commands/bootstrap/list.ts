import { type Command, command, Host, NodeConfigModel, p, Repo, value } from '../../../../core/index.ts'
import { bootstrapList, expandedList, listReply, peerLines } from '../../bootstrap/list.ts'
import { parsePeers, peerAddresses } from '../../bootstrap/peers.ts'

export const bootstrap = listing('bootstrap')
export const list = listing('bootstrap/list')

function listing(path: string): Command {
  return command.read(path, {
    help: 'List the peers that the node asks first.',
    examples: [{ title: 'List the peers that the node asks first', args: path.replaceAll('/', ' ') }],
    needs: { repo: Repo, model: NodeConfigModel, host: Host },
    options: { expandAuto: p.bool('With the peers of a new node in place of the word `auto`.') },
    reply: value(listReply),
    xml: 'BootstrapOutput',
    text: peerLines(),
    async run(services, { options }) {
      const { repo, model, host } = services
      const file = repo.config()
      const all = bootstrapList(services, file)
      if (options.expandAuto === true) return { Peers: all.length === 0 ? null : [...expandedList(services, all)] }
      if (host.level !== '0.28') return { Peers: (model.typed(file)['Bootstrap'] as string[] | null | undefined) ?? null }
      return { Peers: peerAddresses(await parsePeers(all)) }
    }
  })
}
