import { defineErrors } from '../../core/index.ts'

export const diagnosticsErrors = defineErrors({
  E_ID_INVALID: { message: () => 'invalid peer id' },
  E_ID_NEEDS_ONLINE: {
    message: () =>
      "'ipfs id' cannot query information on remote peers without a running daemon; if you only want to convert --peerid-base, pass --offline option"
  },
  E_VERSION_PERCENT: { wire: 'client', message: (percent: number) => `--min-percent is from 1 to 100, not ${percent}` },
  E_LOG_LEVEL: { message: (level: string) => `unrecognized level: ${level}` },
  E_LOG_TAIL_LEVEL: { message: (name: string, quoted: string) => `setting log level ${name}: unrecognized level: ${quoted}` },
  E_LOG_SUBSYSTEM: { message: () => 'error: No such logger' },
  E_PROFILE_COLLECTOR: { message: (name: string) => `unknown collector '${name}'` },
  E_PROFILE_BUSY: {
    message: () => 'another profile of this node is being taken: two would measure each other, so try again when it is done'
  },
  E_PROFILE_TIME: {
    message: (minutes: number) => `a profile of this node takes ${minutes} minutes at most: what is sampled is held until its end`
  },
  E_NO_DEPENDENCIES: { message: () => 'no embedded dependency information' }
})
