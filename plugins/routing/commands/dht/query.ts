import { command, Dhts, optional, p, stream } from '../../../../core/index.ts'
import { tryPeerId } from '../../../../core/keys/index.ts'
import { routingPluginErrors } from '../../errors.ts'
import { closestOnWire, eventText, failureOnWire, onWire, routeEvent, verboseOption } from '../events.ts'

export const query = command.read('dht/query', {
  status: 'deprecated',
  help: 'Find the peers of the DHT that are closest to a peer.',
  needs: { dhts: optional(Dhts) },
  args: { peerID: p.peerId('The peer; it need not be there.').wire('peerID').many() },
  options: { verbose: verboseOption },
  reply: stream(routeEvent),
  xml: 'QueryEvent',
  text: eventText({ peer: ({ ID }) => `${ID}\n` }),
  async *run({ dhts }, { args, signal }) {
    const dht = dhts?.current
    if (dht === undefined) throw routingPluginErrors.E_NO_DHT()
    const key = tryPeerId(args.peerID[0]!)
    if (key === undefined) throw routingPluginErrors.E_DHT_PEER()
    try {
      for await (const event of dht.closest(key, { signal })) {
        const sent = event.type === 'peer' ? closestOnWire(event.found.id) : onWire(event)
        if (sent !== undefined) yield sent
      }
    } catch (error) {
      signal.throwIfAborted()
      yield failureOnWire(error)
      throw error
    }
  }
})
