import { cidToString, parseCid } from '../../../core/cid/index.ts'
import { routingErrors } from '../../../core/errors/index.ts'
import { Blocks, type CID, command, Dag, Network, optional, p, Repo, Routing, stream } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { routingPluginErrors } from '../errors.ts'
import { eventText, onWire, routeEvent, verboseOption } from './events.ts'

export const provide = command.write('routing/provide', {
  status: 'experimental',
  blocks: 'neither',
  help: 'Tell other peers that this node has content.',
  needs: { routing: optional(Routing), network: optional(Network), blocks: Blocks, dag: Dag, repo: Repo },
  args: { key: p.string('CIDs of content that is stored here.').many().fromBody() },
  options: {
    verbose: verboseOption,
    recursive: p.bool('Also all that it links to.').alias('r')
  },
  reply: stream(routeEvent),
  xml: 'QueryEvent',
  text: eventText({ peer: ({ ID }, verbose) => (verbose ? `sending provider record to peer ${ID}\n` : '') }),
  async *run({ routing, network, blocks, dag, repo }, { args, options, signal }) {
    const way = onlineForCommand(routing)
    if (repo.get('Provide.Enabled') === false) throw routingErrors.E_REPROVIDE_OFF('Provide.Enabled')
    if (onlineForCommand(network).connections().length === 0) throw routingPluginErrors.E_PROVIDE_ALONE()
    const cids: CID[] = []
    for (const key of args.key) {
      const cid = parseCid(key)
      if (!(await blocks.has(cid, { signal }))) throw routingPluginErrors.E_PROVIDE_MISSING(cidToString(cid))
      cids.push(cid)
    }
    for (const root of cids) {
      const all = options.recursive === true ? visited(dag, root, signal) : [root]
      for await (const cid of all)
        for await (const event of way.provide(cid, { signal })) {
          const sent = onWire(event)
          if (sent !== undefined) yield sent
        }
    }
  }
})

async function* visited(dag: Dag, root: CID, signal: AbortSignal): AsyncGenerator<CID> {
  for await (const { cid } of dag.walk(root, { signal })) yield cid
}
