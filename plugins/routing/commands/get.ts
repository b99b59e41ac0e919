import { decodeUtf8 } from '../../../core/go/index.ts'
import { command, commonErrors, Network, optional, p, Routing, stream } from '../../../core/index.ts'
import { routingPluginErrors } from '../errors.ts'
import { routingKey } from '../key.ts'
import { RoutingValues } from '../tokens.ts'
import { EVENT, lastEvent } from './events.ts'

export const get = command.read('routing/get', {
  status: 'experimental',
  help: 'Find the best value that peers have under a key.',
  needs: { routing: optional(Routing), network: optional(Network), values: RoutingValues },
  args: { key: p.string('/ipns/ or /pk/, and a peer ID.').many() },
  reply: stream(lastEvent),
  xml: 'QueryEvent',
  text: ({ Extra }) => decodeUtf8(Buffer.from(Extra, 'base64')),
  async *run({ routing, network, values }, { args, options, signal }) {
    if (routing === undefined || network === undefined) throw commonErrors.E_ACTION_NEEDS_ONLINE()
    const key = routingKey(args.key[0]!)
    let best: Uint8Array | undefined
    if (options.offline === true) {
      best = (await values.get(key))?.value
      if (best === undefined) throw routingPluginErrors.E_VALUE_UNKNOWN()
    } else {
      for await (const event of routing.getValue(key, { signal })) if (event.type === 'value') best = event.value
      if (best === undefined) throw routingPluginErrors.E_ROUTING_NOT_FOUND()
    }
    yield { ID: '', Type: EVENT.value, Responses: null, Extra: Buffer.from(best).toString('base64') }
  }
})
