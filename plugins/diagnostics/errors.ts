import { defineErrors } from '../../core/index.ts'

export const diagnosticsErrors = defineErrors({
  E_ID_INVALID: { message: () => 'invalid peer id' },
  E_ID_NEEDS_ONLINE: {
    message: () =>
      "'ipfs id' cannot query information on remote peers without a running daemon; if you only want to convert --peerid-base, pass --offline option"
  },
  E_LOG_LEVEL: { message: (level: string) => `unrecognized level: ${level}` },
  E_LOG_SUBSYSTEM: { message: () => 'error: No such logger' },
  E_NO_DEPENDENCIES: { message: () => 'no embedded dependency information' }
})
