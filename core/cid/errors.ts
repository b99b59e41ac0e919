import { defineErrors } from '../errors.ts'
import { goQuote } from '../go/quote.ts'

/** Errors of a CID and its parts. */
export const cidErrors = defineErrors({
  E_CID_INVALID: { message: (why: string) => `invalid cid: ${why}` },
  E_CID_BASE: { message: () => 'invalid base encoding' },
  E_MULTIBASE_UNSUPPORTED: { message: (base: string) => `unsupported multibase encoding: ${base}` },
  E_MULTIBASE_EMPTY: { message: () => 'empty multibase encoding' },
  E_MULTIBASE_LENGTH: {
    message: (base: string, most: number) => `${base} of more than ${most} bytes is not converted: its cost grows faster than its length`
  },
  E_MULTIBASE_TEXT: { message: (why: string) => why },
  E_MULTIHASH_INVALID: { message: (why: string) => why },
  E_CODEC_UNKNOWN: { message: (codec: string) => `unknown multicodec: ${goQuote(codec)}` },
  E_HASH_UNREGISTERED: {
    message: (code: number) => `unknown multihash code ${code} (0x${code.toString(16)}): no such hash registered`
  },
  E_HASH_UNRECOGNIZED: { message: (name: string) => `unrecognized hash function: ${goQuote(name)}` },
  E_HASH_INSECURE: { message: () => 'potentially insecure hash functions not allowed' },
  E_DIGEST_TOO_LARGE: { message: () => 'requested length was too large for digest' },
  E_DIGEST_TOO_SHORT: { message: (least: number) => `hashes must be at least ${least} bytes long` },
  E_DIGEST_TOO_LONG: { message: (most: number) => `hashes must be at most ${most} bytes long` },
  E_VARINT: { message: (why: string) => why }
})
