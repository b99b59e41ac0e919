import { type Token, token } from '../../core/index.ts'
import type { BitswapExchange } from './exchange.ts'

/** The exchange as its own plugin makes it: one object for both of its services. */
export const BitswapOfNode: Token<BitswapExchange> = token<BitswapExchange>('bitswap-exchange')
