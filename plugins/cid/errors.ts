import { goQuote } from '../../core/go/quote.ts'
import { defineErrors } from '../../core/index.ts'

export const formatErrors = defineErrors({
  E_CID_FORMAT: { message: (format: string) => `invalid format string: ${goQuote(format)}` },
  E_CID_FORMAT_END: { message: () => 'premature end of format string' },
  E_CID_FORMAT_VERB: { message: (verb: string) => `unrecognized specifier in format string: ${verb}` },
  E_CID_FORMAT_LENGTH: {
    message: (most: number) => `the format makes more than ${most} characters of one CID; the setting is plugins.cid.maxFormatted`
  },
  E_CID_INSPECTED: { message: (why: string) => why },
  E_CID_VERSION: { message: (version: string) => `invalid cid version: ${goQuote(version)}` },
  E_CID_V0_CODEC: { message: () => 'cannot convert to CIDv0 with any codec other than dag-pb' },
  E_CID_V0_BASE: { message: () => 'cannot convert to CIDv0 with any multibase other than the implicit base58btc' },
  E_CID_V0_NODE: { message: () => "can't convert non-dag-pb nodes to cidv0" },
  E_CID_V0_HASH: { message: (hash: string) => `can't convert a CID with ${hash} to cidv0, which has sha2-256 of 32 bytes` },
  E_MULTIBASE_FILE: { message: (why: string) => `failed to access file: ${why}` },
  E_MULTIBASE_INPUT: {
    message: (most: number) => `a text of more than ${most} bytes is not decoded here; the setting is plugins.cid.maxInput`
  }
})
