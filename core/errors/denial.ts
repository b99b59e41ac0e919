import { defineErrors } from '../errors.ts'
import type { Denial } from '../services/content/denylist.ts'

/** Errors for content that a denylist stands against. Text: Kubo 0.28, nopfs. */
export const denialErrors = defineErrors({
  E_DENIED: {
    http: (_: string, { status }: Denial) => ({ status }),
    message: (what: string, _: Denial) => `${what} is blocked and cannot be provided`
  }
})
