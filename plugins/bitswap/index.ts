/**
 * Blocks from and for other peers by bitswap, and the commands that show it.
 *
 * @packageDocumentation
 */
import { Bitswap, Blockstore, Exchange, Log, Network, optional, plugin, service } from '../../core/index.ts'
import { ledger } from './commands/ledger.ts'
import { reprovide } from './commands/reprovide.ts'
import { stat, statsBitswap } from './commands/stat.ts'
import { wantlist } from './commands/wantlist.ts'
import { bitswapErrors } from './errors.ts'
import { BitswapExchange } from './exchange.ts'
import { BitswapOfNode } from './node-exchange.ts'
import { BitswapSettings, bitswapSettings } from './settings.ts'
import { ContentRouting } from './tokens.ts'

const onlyWith = [Network]

export default plugin({
  name: 'bitswap',
  api: '^1',
  about: 'Blocks from and for other peers.',
  nodeKeys: { atOnce: ['Experimental.StrategicProviding'] },
  settings: bitswapSettings,
  internal: [
    service(BitswapOfNode, {
      needs: { network: Network, store: Blockstore, routing: optional(ContentRouting), settings: BitswapSettings, log: Log },
      onlyWith,
      make: parts => new BitswapExchange(parts)
    })
  ],
  provides: [
    service(Exchange, { needs: { exchange: BitswapOfNode }, onlyWith, make: ({ exchange }) => exchange }),
    service(Bitswap, { needs: { exchange: BitswapOfNode }, onlyWith, make: ({ exchange }) => exchange })
  ],
  commands: [stat, statsBitswap, wantlist, ledger, reprovide],
  errors: bitswapErrors
})
