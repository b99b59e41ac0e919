import { defineErrors } from '../errors.ts'

/** Errors in the words of a call. The texts are those of go-ipfs-cmds 0.10; what is about text gets it quoted already. */
export const callErrors = defineErrors({
  E_OPTION_TWICE: {
    wire: 'client',
    message: (name: string, values: readonly string[]) => `expected key ${name} to have only a single value, received [${values.join(' ')}]`
  },
  E_OPTION_VALUE: {
    wire: 'client',
    message: (name: string, what: string, kind: string) => `could not convert ${what} to type "${kind}" (for option "-${name}")`
  },
  E_OPTION_UNKNOWN: { wire: 'client', message: (name: string) => `there is no option '${name}'` },
  E_ARGUMENT_SURPLUS: { wire: 'client', message: (word: string) => `no argument takes '${word}'` },
  E_ARGUMENT_MISSING: { wire: 'client', message: (name: string) => `argument ${name} is required` },
  E_FILE_MISSING: { wire: 'client', message: (name: string) => `file argument '${name}' is required` },
  E_ARGUMENTS_TOO_MANY: {
    wire: 'client',
    message: (most: number) => `too many arguments: this node takes ${most} in one call (rpc.limits.arguments)`
  },
  E_ARGUMENTS_TOO_LONG: {
    wire: 'client',
    message: (most: number) => `arguments too long: this node takes ${most} bytes of them in a body (rpc.limits.argumentBytes)`
  }
})
