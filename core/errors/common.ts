import { defineErrors } from '../errors.ts'

/** Errors that any command may answer. */
export const commonErrors = defineErrors({
  E_TIMEOUT: { message: () => 'context deadline exceeded' },
  E_CANCELLED: { message: () => 'context canceled' },
  E_INPUTS_HELD: {
    message: (most: number, setting: string) =>
      `the inputs of all calls together take more than ${most} bytes, the most that this node holds (${setting}): try again later`
  },
  E_NEEDS_ONLINE: { message: () => "this command must be run in online mode. Try running 'ipfs daemon' first" },
  E_ACTION_NEEDS_ONLINE: { message: () => "this action must be run in online mode, try running 'ipfs daemon' first" },
  E_SERVICE_ABSENT: {
    message: (command: string, what: string, plugin: string, instead?: string) =>
      `${command}: ${what} needs the plugin '${plugin}', which is not loaded on this node${instead === undefined ? '' : `; ${instead}`}`
  },
  E_ACCESS: {
    wire: 'forbidden',
    message: (what: string, access: string, who: string | undefined, has: string | undefined) =>
      `${what} takes the access '${access}', and ${who === undefined ? 'this caller' : `'${who}'`} has '${has}'`
  },
  E_ACCESS_COMMAND: {
    wire: 'forbidden',
    message: (what: string, who: string | undefined, patterns: readonly string[]) =>
      `${what} is none of what ${who === undefined ? 'this caller' : `'${who}'`} may call: ${patterns.join(', ') || 'nothing'}`
  }
})
