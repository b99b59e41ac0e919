import { defineErrors } from '../errors.ts'

/** Errors of a tar archive that is read. */
export const tarErrors = defineErrors({
  E_TAR: { message: (what: string) => `the archive is broken: ${what}` }
})
