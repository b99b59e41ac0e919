import { defineErrors } from '../../core/index.ts'

/** Text of the pass that is stopped: Kubo 0.28, core/commands/bitswap.go. */
export const provideErrors = defineErrors({
  E_PROVIDE_QUEUE: {
    message: (most: number) => `more than ${most} blocks wait to be provided (plugins.provide.maxQueued): the next pass provides the rest`
  },
  E_REPROVIDE_STOPPED: { message: () => 'failed to reprovide: shutting down' }
})
