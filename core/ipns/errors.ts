import { defineErrors } from '../errors.ts'
import { goQuote } from '../go/quote.ts'

/** Errors of an IPNS record. Texts: boxo 0.19, ipns/errors.go and routing/offline. */
export const ipnsErrors = defineErrors({
  E_RECORD_PATH: {
    message: (path: string) =>
      `no record can be made of the path ${goQuote(path)}: it has to begin with a slash, end in no blank, and be UTF-8 (Kubo publishes it)`
  },
  E_RECORD_SIZE: { message: () => 'record exceeds allowed size limit' },
  E_RECORD_MALFORMED: { message: (why: string) => `record is malformed; ${why}` },
  E_RECORD_SIGNATURE: { message: () => 'signature verification failed' },
  E_RECORD_FIELD: { message: (field: string) => `field "${field}" did not match between protobuf and CBOR` },
  E_RECORD_VALIDITY_TYPE: { message: () => 'record contains an unrecognized validity type' },
  E_RECORD_VALIDITY: { message: (why: string) => `record contains an invalid validity; ${why}` },
  E_RECORD_EXPIRED: { message: () => 'record is expired' },
  E_RECORD_KEY_OTHER: { message: () => 'record public key does not match the expected public key' },
  E_RECORD_KEY_ABSENT: { message: () => 'public key is not embedded in peer ID' },
  E_RECORD_OLDER: { message: () => "can't replace a newer record with an older one" }
})
