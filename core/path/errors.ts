import { defineErrors } from '../errors.ts'
import { goQuote } from '../go/quote.ts'

/** Errors of a content path, and on the way along it. */
export const pathErrors = defineErrors({
  E_PATH_INVALID: { message: (path: string, why: string) => `invalid path ${goQuote(path)}: ${why}` },
  E_LINK_MISSING: { message: (name: string, cid: string) => `no link named ${goQuote(name)} under ${cid}` },
  E_FILE_HAS_NO_LINKS: {
    message: () => 'func called on wrong kind: "" called on a INVALID node, but only makes sense on <empty KindSet>'
  },
  E_NAMESPACE_TAKEN: { message: (namespace: string) => `there already is a resolver for /${namespace}` }
})
