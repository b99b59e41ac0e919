import { command, p } from '../../../core/index.ts'
import { foreground, foregroundReply, foregroundText, inForeground } from '../foreground.ts'
import { ofP2p, switchedOn } from '../switched-on.ts'

export const listen = command.admin('p2p/listen', {
  ...ofP2p,
  help: 'Offer a service of this machine to peers, by a protocol.',
  examples: [{ title: 'Offer the web server at port 8000', args: 'p2p listen /x/web/http /ip4/127.0.0.1/tcp/8000' }],
  args: {
    protocol: p.string('The name of the protocol, below /x/.'),
    targetAddress: p.multiaddr('Where the service is, e.g. /ip4/127.0.0.1/tcp/8000.').wire('target-address')
  },
  options: {
    allowCustomProtocol: p.bool('Take a protocol that is not below /x/ as well.'),
    reportPeerId: p.bool("Send the service the peer's ID and a line end before all else.").alias('r'),
    foreground
  },
  reply: foregroundReply,
  text: foregroundText(({ Protocol, Address }) => `Listening on ${Protocol}, forwarding to ${Address}`),
  async run(services, { args, options, signal }) {
    const running = await switchedOn(services).offer(args.protocol, args.targetAddress, {
      custom: options.allowCustomProtocol === true,
      reportPeer: options.reportPeerId === true
    })
    const said = { Protocol: args.protocol, Address: args.targetAddress }
    return options.foreground === true ? inForeground(running, said, signal) : []
  }
})
