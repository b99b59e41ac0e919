import { defineErrors } from '../errors.ts'

/** Key pairs and peer IDs. */
export const keyErrors = defineErrors({
  E_KEY_TYPE: { message: (type: string) => `unrecognized key type: ${type}` },
  E_KEY_TOO_SMALL: { message: () => 'rsa keys must be >= 2048 bits to be useful' },
  E_KEY_TOO_LARGE: { message: () => 'rsa keys must be <= 8192 bits' },
  E_KEY_INVALID: { message: (reason: string) => reason },
  E_KEY_PEM_ABSENT: { message: () => 'PEM block not found in input data:\n' },
  E_KEY_PEM_TYPE: { message: (type: string) => `expected PRIVATE KEY type in PEM block but got: ${type}` },
  E_KEY_PEM_PKCS8: { message: (reason: string) => `parsing PKCS8 format: ${reason}` },
  E_KEY_PEM_CONVERSION: { message: (reason: string) => `converting std Go key to libp2p key: ${reason}` },
  E_SIGNATURE_RSA: { message: () => 'crypto/rsa: verification error' },
  E_PEER_ID: { message: (reason: string) => `failed to parse peer ID: ${reason}` },
  E_PEER_ID_CODEC: { message: (codec: string) => `can't convert CID of type "${codec}" to a peer ID` }
})
