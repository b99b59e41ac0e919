import { z } from 'zod'
import { command, p, value } from '../../../core/index.ts'
import { p2pErrors } from '../errors.ts'
import { ofP2p, switchedOn } from '../switched-on.ts'

export const close = command.admin('p2p/close', {
  ...ofP2p,
  help: 'Offer or forward services no more: those that fit all that is given. Connections that are open stay.',
  examples: [
    { title: 'Close what goes by one protocol', args: 'p2p close --protocol=/x/web/http' },
    { title: 'Close what listens at one address', args: 'p2p close --listen-address=/ip4/127.0.0.1/tcp/9000' }
  ],
  options: {
    all: p.bool('All of them.').alias('a'),
    protocol: p.string('Listeners of this protocol.').alias('p'),
    listenAddress: p.multiaddr('Listeners at this address.').alias('l'),
    targetAddress: p.multiaddr('Listeners whose connections are led to this address.').alias('t')
  },
  reply: value(z.int().describe('How many there were.')),
  text: closed => `Closed ${closed} stream(s)\n`,
  async run(services, { options }) {
    const p2p = switchedOn(services)
    const { all = false, protocol, listenAddress: listen, targetAddress: target } = options
    const isMatched = protocol !== undefined || listen !== undefined || target !== undefined
    if (!all && !isMatched) throw p2pErrors.E_P2P_CLOSE_NOTHING()
    if (all && isMatched) throw p2pErrors.E_P2P_CLOSE_ALL()
    return p2p.close({ protocol, listen, target })
  }
})
