import { defineErrors } from '../errors.ts'

/** Reading a repo folder from outside, as a command line does. */
export const repoErrors = defineErrors({
  E_ADDRESS_FILE_SIZE: { message: (file: string) => `API file too large, must be <2048 bytes long: ${file}` }
})
