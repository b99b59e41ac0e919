import { defineErrors } from '../../core/index.ts'

/** Errors of a node configuration. */
export const nodeConfigErrors = defineErrors({
  E_CONFIG_SYNTAX: { message: (file: string, reason: string) => `${file} is not JSON: ${reason}` },
  E_CONFIG_VALUE: {
    message: (file: string, key: string, found: string, allowed: string) => `${file}: ${key} is ${found}; allowed: ${allowed}`
  },
  E_CONFIG_BYTES: {
    message: (key: string) =>
      `the node configuration is not written: ${key} has bytes that are no UTF-8, and would lose them; set that anew first`
  },
  E_CONFIG_TYPE: { message: (text: string) => text },
  E_CONFIG_KEY_ABSENT: { message: (key: string) => `${key} not found` },
  E_CONFIG_KEY_PARENT: { message: (key: string) => `${key} key is not a map` },
  E_PROFILE_UNKNOWN: { message: (name: string) => `${name} is not a profile` }
})
