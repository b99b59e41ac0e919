import { goQuote } from '../../core/go/index.ts'
import { defineErrors } from '../../core/index.ts'

export const retrievalErrors = defineErrors({
  E_RETRIEVAL_GATEWAY: { message: (gateway: string, why: string) => `${gateway}: ${why}` },
  E_RETRIEVAL_RESTS: {
    message: (gateway: string, milliseconds: number) => `${gateway} failed, and is left alone for ${Math.ceil(milliseconds / 1000)} s more`
  },
  E_RETRIEVAL_URL: {
    wire: 'client',
    message: (url: string) => `${goQuote(url)} is no RASL URL: rasl://CID/?hint=HOST, with a CID of DASL`
  },
  E_RETRIEVAL_STOPPED: { message: () => 'gateways are not asked any more: the node stops' }
})
