/**
 * Services over peers: those of this machine that peers reach by a protocol, and those of peers at a socket of this machine. See `service.ts`.
 *
 * @packageDocumentation
 */
import { Log, Network, plugin, service } from '../../core/index.ts'
import { askForText } from '../../core/multiaddr/index.ts'
import { close } from './commands/close.ts'
import { forward } from './commands/forward.ts'
import { listen } from './commands/listen.ts'
import { ls } from './commands/ls.ts'
import { streamClose } from './commands/stream/close.ts'
import { streamLs } from './commands/stream/ls.ts'
import { p2pErrors } from './errors.ts'
import { P2p, P2pService } from './service.ts'
import { P2pSettings, p2pSettings } from './settings.ts'

export default plugin({
  name: 'p2p',
  api: '^1',
  status: 'experimental',
  about: 'Services over peers: those of this machine for peers, and those of peers on this machine.',
  nodeKeys: { atOnce: ['Experimental.Libp2pStreamMounting'] },
  settings: p2pSettings,
  internal: [
    service(P2p, {
      needs: { network: Network, settings: P2pSettings, log: Log },
      onlyWith: [Network],
      make: parts => new P2pService({ ...parts, ask: askForText })
    })
  ],
  commands: [close, forward, listen, ls, streamClose, streamLs],
  errors: p2pErrors
})
