import { parseCid } from '../../../core/cid/index.ts'
import { command, optional, p, Routing, type RoutingEvent, stream } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { routingPluginErrors } from '../errors.ts'
import { eventText, onWire, routeEvent, verboseOption } from './events.ts'

/** The number of providers that are enough, where nobody says how many (Kubo 0.28, core/commands/routing.go). */
const ENOUGH = 20

export const findprovs = command.read('routing/findprovs', {
  help: 'Find peers that have content.',
  examples: [
    { title: 'Up to five peers that have a folder', args: 'routing findprovs -n 5 QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }
  ],
  needs: { routing: optional(Routing) },
  args: { key: p.string('CID of the content.').many() },
  options: {
    verbose: verboseOption,
    numProviders: p.int('Enough of them.').alias('n').default(ENOUGH)
  },
  reply: stream(routeEvent),
  xml: 'QueryEvent',
  text: eventText({
    peer: ({ ID }, verbose) => (verbose ? `* closest peer ${ID}\n` : ''),
    provider({ Responses }, verbose) {
      const { ID, Addrs } = Responses![0]!
      return verbose ? `provider: ${ID}\n${Addrs.map(address => `\t${address}\n`).join('')}` : `${ID}\n`
    }
  }),
  async *run({ routing }, { args, options, signal }) {
    const way = onlineForCommand(routing)
    if (options.numProviders < 1) throw routingPluginErrors.E_PROVIDER_COUNT()
    const cid = parseCid(withoutPath(args.key[0]!))
    let isFound = false
    let last: RoutingEvent | undefined
    const reasons = new Set<string>()
    for await (const event of way.findProviders(cid, { signal, count: options.numProviders })) {
      last = event
      isFound ||= event.type === 'provider'
      if (event.type !== 'failure') yield onWire(event)!
      else if (event.peer === undefined) reasons.add(event.message)
    }
    // clients of the reference take it for the end: it is told as there, last and where nothing was found (go-libp2p-kad-dht 0.25, dual)
    if (last?.type !== 'failure' || isFound) return
    yield onWire(reasons.size === 0 ? last : { type: 'failure', message: [...reasons].join('; ') })!
  }
})

/** The CID behind `/ipfs/` in a text, as go-cid reads it: up to its end. */
function withoutPath(text: string): string {
  const at = text.indexOf('/ipfs/')
  return at < 0 ? text : text.slice(at + '/ipfs/'.length)
}
