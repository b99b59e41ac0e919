import { defineErrors } from '../../core/errors.ts'

/** Errors of the file that composes a host. */
export const hostConfigErrors = defineErrors({
  E_HOST_CONFIG_ABSENT: { message: (file: string) => `there is no configuration file ${file}` },
  E_HOST_CONFIG_UNREADABLE: { message: (file: string, reason: string) => `the configuration ${file} cannot be read: ${reason}` },
  E_HOST_CONFIG_LARGE: {
    message: (file: string, size: number, most: number) => `the configuration ${file} has ${size} bytes; at most ${most} are read`
  },
  E_HOST_CONFIG_FORM: {
    message: (file: string, extensions: readonly string[]) => `${file}: a configuration ends in ${extensions.join(', ')}`
  },
  E_RPC_LEVEL: {
    message: (said: string, levels: readonly string[]) => `HOLDFAST_RPC_LEVEL is '${said}': it is ${levels.join(' or ')}`
  },
  E_OFFLINE: { message: (said: string) => `HOLDFAST_OFFLINE is '${said}': it is 1 (no peers) or 0` },
  E_HOST_CONFIG_INVALID: { message: (problems: readonly string[]) => problems.join('\n') }
})
