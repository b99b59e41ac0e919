import { createPrivateKey } from 'node:crypto'
import { keyErrors } from '../errors/keys.ts'
import { messageOf } from '../errors.ts'
import type { Identity } from '../services/repo.ts'
import { decodeKey } from './encoding.ts'
import { privateKeyObject, typeOf } from './key-object.ts'
import { identityOfObject, RSA_BITS } from './keypair.ts'

const BLOCK = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n([A-Za-z0-9+/=\s]*?)\n?-----END \1-----/

/** The first PEM block (RFC 7468) in a text, without headers; undefined where there is none. */
export function pemBlock(text: string): { type: string; der: Buffer } | undefined {
  const [, type, base64] = BLOCK.exec(text) ?? []
  return type === undefined || base64 === undefined ? undefined : { type, der: Buffer.from(base64, 'base64') }
}

/**
 * The key pair of a private key in PEM: PKCS #8, not encrypted. RSA keys may have less bits than are useful, as the reference takes them.
 *
 * @throws E_KEY_PEM_ABSENT, E_KEY_PEM_TYPE, E_KEY_PEM_PKCS8, E_KEY_PEM_CONVERSION, E_KEY_TOO_LARGE
 */
export function identityOfPem(text: string): Identity {
  const block = pemBlock(text)
  if (block === undefined) throw keyErrors.E_KEY_PEM_ABSENT()
  if (block.type !== 'PRIVATE KEY') throw keyErrors.E_KEY_PEM_TYPE(block.type)
  let key: ReturnType<typeof createPrivateKey>
  try {
    key = createPrivateKey({ key: block.der, format: 'der', type: 'pkcs8' })
  } catch (error) {
    throw keyErrors.E_KEY_PEM_PKCS8(messageOf(error))
  }
  const type = typeOf(key)
  if (type === undefined) throw keyErrors.E_KEY_PEM_CONVERSION('invalid or unsupported key type')
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) > RSA_BITS.most) throw keyErrors.E_KEY_TOO_LARGE()
  return identityOfObject(type, key)
}

/** A private key in libp2p's protobuf form as PEM: PKCS #8, not encrypted. */
export function pemOf(privateKey: Uint8Array): string {
  const { type, data } = decodeKey(privateKey, 'PrivateKey')
  return privateKeyObject(type, data).export({ type: 'pkcs8', format: 'pem' }) as string
}
