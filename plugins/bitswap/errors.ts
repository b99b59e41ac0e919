import { defineErrors } from '../../core/index.ts'

/** Errors of messages of peers, and of bitswap's commands. Texts of commands: Kubo 0.28, core/commands/bitswap.go. */
export const bitswapErrors = defineErrors({
  E_BITSWAP_MESSAGE: { message: (why: string) => `not a message of bitswap: ${why}` },
  E_BITSWAP_PARTIAL: {
    message: (most: number) => `messages that are not whole hold more than ${most} bytes (plugins.bitswap.maxPartial)`
  },
  E_BITSWAP_STALLED: { message: (milliseconds: number) => `a message was begun, and nothing more of it came for ${milliseconds / 1000} s` },
  E_BITSWAP_SLOW: { message: (milliseconds: number) => `a message was not read within ${Math.round(milliseconds) / 1000} s` },
  E_BITSWAP_FLOOD: {
    message: (wants: number) => `it wants ${wants} blocks more than are remembered for a peer (plugins.bitswap.maxForgotten)`
  },
  E_BITSWAP_STRAY: { message: (blocks: number) => `it sent ${blocks} blocks that nobody asked for (plugins.bitswap.maxStray)` },
  E_BITSWAP_EMPTY: { message: (messages: number) => `it sent ${messages} messages in a row with nothing in them` },
  E_BITSWAP_REFUSED: { message: () => 'it is kept away for a while' },
  E_BITSWAP_RELAYED: {
    message: (peer: string) => `${peer} has the block, and is reached over a relay alone, which carries too little for it`
  },
  E_BITSWAP_STOPPED: { message: () => 'bitswap does not run any more' },
  E_REPROVIDE_NO_ROUTING: { message: () => 'cannot reprovide: this node has no routing to tell others by (the plugin routing)' },
  E_BITSWAP_STAT_OFFLINE: {
    wire: 'client',
    message: () => "this command must be run in online mode. Try running 'ipfs daemon' first"
  }
})
