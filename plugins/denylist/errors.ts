import { defineErrors } from '../../core/index.ts'

/** Errors of the lists of a node. */
export const denylistErrors = defineErrors({
  E_DENYLIST_FILE: { message: (path: string, why: string) => `denylist ${path}: ${why}` },
  E_DENYLIST_RULE: { message: (why: string) => why },
  E_DENYLIST_RULES: {
    message: (path: string, most: number) => `denylist ${path}: the lists have more than ${most} rules together (plugins.denylist.maxRules)`
  }
})
