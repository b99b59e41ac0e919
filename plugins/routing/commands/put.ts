import { gather } from '../../../core/body/index.ts'
import { type Body, command, files, messageOf, Names, Network, optional, p, Routing, stream } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { MAX_VALUE } from '../dht/records/validators.ts'
import { routingPluginErrors } from '../errors.ts'
import { routingKey } from '../key.ts'
import { RoutingValues, ValueInputs } from '../tokens.ts'
import { EVENT, lastEvent } from './events.ts'

export const put = command.write('routing/put', {
  status: 'experimental',
  blocks: 'neither',
  help: 'Have peers keep a record under its name.',
  needs: { routing: optional(Routing), network: optional(Network), values: RoutingValues, inputs: ValueInputs, names: optional(Names) },
  args: { key: p.string('/ipns/ and the peer ID that the record is signed by.') },
  options: { allowOffline: p.bool('Also where no peers can be told: they are when the record is put again.') },
  body: files('value-file', 'The record.', { many: false }),
  reply: stream(lastEvent),
  xml: 'QueryEvent',
  text: ({ ID }) => `${ID}\n`,
  async *run({ routing, network, values, inputs, names }, { args, options, body, signal, log }) {
    const held = inputs.begin()
    try {
      const value = await recordOf(body, held)
      const isOnline = routing !== undefined && network !== undefined && options.offline !== true
      if (!isOnline && options.allowOffline !== true) throw routingPluginErrors.E_PUT_OFFLINE()
      const name = peerIdString(parsePeerId(args.key.replace(/^\/ipns\//, '')))
      const key = routingKey(args.key)
      if (options.offline === true && routing !== undefined) await values.put(key, value, network!.self)
      // what no way takes is no failure of the command, as in the reference: the ways say so in the log
      else if (routing === undefined) {
        const kept = names === undefined ? values.put(key, value, name) : names.put(name, value, { signal })
        await kept.catch(error => log.warn(`the record was not kept: ${messageOf(error)}`))
      } else {
        // resolved here, too, by who asks nobody else
        await names?.put(name, value, { signal }).catch(error => log.debug(`the record was not kept: ${messageOf(error)}`))
        for await (const event of routing.putValue(key, value, { signal })) if (event.type === 'failure') log.debug(event.message)
      }
      yield { ID: name, Type: EVENT.value, Responses: null, Extra: '' }
    } finally {
      held.release()
    }
  }
})

async function recordOf(body: Body, held: ReturnType<ValueInputs['begin']>): Promise<Uint8Array> {
  for await (const part of body) {
    if (part.kind !== 'file') continue
    const { bytes } = await gather(part, MAX_VALUE, () => routingPluginErrors.E_ROUTING_INPUT(MAX_VALUE), held)
    return bytes
  }
  return new Uint8Array()
}
