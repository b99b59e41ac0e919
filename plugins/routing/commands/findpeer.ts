import { command, Network, optional, p, Routing, stream } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { routingPluginErrors } from '../errors.ts'
import { eventText, failureOnWire, onWire, routeEvent, verboseOption } from './events.ts'

export const findpeer = command.read('routing/findpeer', {
  help: 'Find the addresses of a peer.',
  examples: [{ title: 'Where a peer is', args: 'routing findpeer 12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG' }],
  needs: { routing: optional(Routing), network: optional(Network) },
  args: { peerID: p.peerId('The peer.').wire('peerID').many() },
  options: { verbose: verboseOption },
  reply: stream(routeEvent),
  xml: 'QueryEvent',
  text: eventText({ peer: ({ Responses }) => (Responses?.[0]?.Addrs ?? []).map(address => `${address}\n`).join('') }),
  async *run({ routing, network }, { args, signal }) {
    const [online, way] = [onlineForCommand(network), onlineForCommand(routing)]
    const peer = peerIdString(parsePeerId(args.peerID[0]!))
    if (peer === online.self) throw routingPluginErrors.E_FIND_SELF()
    const connected = online.connections(peer).length > 0 ? await online.peer(peer) : undefined
    if (connected !== undefined && connected.addresses.length > 0) {
      yield onWire({ type: 'peer', found: connected })!
      return
    }
    for await (const event of way.findPeer(peer, { signal })) {
      const sent = onWire(event)
      if (sent !== undefined) yield sent
      if (event.type === 'peer') return
    }
    const error = routingPluginErrors.E_ROUTING_NOT_FOUND()
    yield failureOnWire(error)
    throw error
  }
})
