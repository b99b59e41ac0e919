import type { Identity } from '../../core/index.ts'
import { messageOf } from '../../core/index.ts'
import { identityOf, identityOfPem, pemBlock } from '../../core/keys/index.ts'
import { keysErrors } from './errors.ts'

const readers: Readonly<Record<string, (bytes: Uint8Array) => Identity>> = {
  'libp2p-protobuf-cleartext': ofProtobuf,
  'pem-pkcs8-cleartext': bytes => identityOfPem(Buffer.from(bytes).toString())
}

export const formats: readonly string[] = Object.keys(readers)

/** Go's names for the types of keys that are only taken on request. */
const GO_TYPES: Readonly<Partial<Record<Identity['type'], string>>> = { ecdsa: 'ECDSA', secp256k1: 'Secp256k1' }

/**
 * The key pair in a file.
 *
 * @throws E_KEY_FORMAT, E_KEY_PROTOBUF, E_KEY_PROTOBUF_PEM, those of PEM, and E_KEY_TYPE_REFUSED unless `anyType`
 */
export function readKey(bytes: Uint8Array, format: string, { anyType }: { anyType: boolean }): Identity {
  const read = Object.hasOwn(readers, format) ? readers[format] : undefined
  if (read === undefined) throw keysErrors.E_KEY_FORMAT(format)
  const identity = read(bytes)
  const refused = anyType ? undefined : GO_TYPES[identity.type]
  if (refused !== undefined) throw keysErrors.E_KEY_TYPE_REFUSED(refused)
  return identity
}

function ofProtobuf(bytes: Uint8Array): Identity {
  try {
    // what is kept must not be what the upload's memory is used for next
    return identityOf(Uint8Array.from(bytes))
  } catch (error) {
    if (pemBlock(Buffer.from(bytes).toString()) !== undefined) throw keysErrors.E_KEY_PROTOBUF_PEM()
    throw keysErrors.E_KEY_PROTOBUF(messageOf(error))
  }
}
