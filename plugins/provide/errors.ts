import { goQuote } from '../../core/go/quote.ts'
import { defineErrors } from '../../core/index.ts'

/** Texts: of the pass that is stopped, Kubo 0.28, core/commands/bitswap.go; of commands, Kubo 0.42, core/commands/provide.go. */
export const provideErrors = defineErrors({
  E_PROVIDE_QUEUE: {
    message: (most: number) => `more than ${most} blocks wait to be provided (plugins.provide.maxQueued): the next pass provides the rest`
  },
  E_PROVIDE_OFF: { message: (key: string) => `cannot provide: ${key} is ${key === 'Provide.Enabled' ? 'false' : 'true'}` },
  E_PROVIDE_LONELY: { message: () => 'cannot provide: no connected peers' },
  E_PROVIDE_CID: { message: (text: string, why: string) => `invalid CID ${goQuote(text)}: ${why}` },
  E_PROVIDE_ABSENT: { message: (cid: string) => `block ${cid} not found locally, cannot provide` },
  E_PROVIDE_STAT_OFF: { message: (key: string) => `stats not available: nothing is provided (${key})` },
  E_PROVIDE_STAT_LAN: { message: () => 'LAN stats only available for Sweep provider with Dual DHT' },
  E_PROVIDE_STAT_FLAGS: { message: () => 'cannot use flags with legacy provide stats' },
  E_PROVIDE_STAT_COMPACT: { message: () => '--compact requires --all flag' },
  E_REPROVIDE_STOPPED: { message: () => 'failed to reprovide: shutting down' }
})
