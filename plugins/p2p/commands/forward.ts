import { command, p } from '../../../core/index.ts'
import { foreground, foregroundReply, foregroundText, inForeground } from '../foreground.ts'
import { ofP2p, switchedOn } from '../switched-on.ts'

export const forward = command.admin('p2p/forward', {
  ...ofP2p,
  help: 'Listen on a socket of this machine, and lead what connects to a service of a peer.',
  examples: [
    {
      title: 'Have the web server of a peer at port 9000',
      args: 'p2p forward /x/web/http /ip4/127.0.0.1/tcp/9000 /p2p/12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
    }
  ],
  args: {
    protocol: p.string('The name of the protocol that the peer offers the service by.'),
    listenAddress: p.multiaddr('Where to listen, e.g. /ip4/127.0.0.1/tcp/9000; port 0 is any that is free.').wire('listen-address'),
    targetAddress: p.multiaddr('The peer: /p2p/PEER, perhaps with an address before it.').wire('target-address')
  },
  options: { allowCustomProtocol: p.bool('Take a protocol that is not below /x/ as well.'), foreground },
  reply: foregroundReply,
  text: foregroundText(({ Protocol, Address }) => `Listening on ${Address}, forwarding to ${Protocol}`),
  async run(services, { args, options, signal }) {
    const custom = options.allowCustomProtocol === true
    const running = await switchedOn(services).forward(args.protocol, args.listenAddress, args.targetAddress, { custom, signal })
    const said = { Protocol: args.protocol, Address: args.listenAddress }
    return options.foreground === true ? inForeground(running, said, signal) : []
  }
})
