import { defineErrors } from '../../core/index.ts'

/** Errors of removed commands. Text: Kubo 0.28, core/commands. */
export const removedErrors = defineErrors({
  E_REMOVED: { message: (instead: string) => `removed, use ${instead} instead` }
})
