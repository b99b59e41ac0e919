import { createPrivateKey } from 'node:crypto'
import { messageOf } from '../errors.ts'
import { trimRight } from '../go/trim.ts'
import type { Identity } from '../services/storage/repo.ts'
import { checkConsistent } from './consistent.ts'
import { decodeKey } from './encoding.ts'
import { keyErrors } from './errors.ts'
import { privateKeyObject, typeOf } from './key-object.ts'
import { checkBits, identityOfObject } from './keypair.ts'

const BEGIN = '-----BEGIN '
const DASHES = '-----'
const BASE64 = /^[A-Za-z0-9+/=\s]*$/

/** The first PEM block (RFC 7468) in a text, without headers; undefined where there is none. */
export function pemBlock(text: string): { type: string; der: Buffer } | undefined {
  for (let start = text.startsWith(BEGIN) ? 0 : next(text, 0); start >= 0; start = next(text, start)) {
    const end = text.indexOf('\n', start)
    if (end < 0) return undefined
    const line = trimRight(text.slice(start, end), ' \t\r')
    if (line.length < BEGIN.length + DASHES.length || !line.endsWith(DASHES)) continue
    const type = line.slice(BEGIN.length, -DASHES.length)
    // nothing of a body is a dash
    const foot = text.indexOf('-', end)
    if (foot < 0) return undefined
    const body = text.slice(end + 1, foot)
    if (text.startsWith(`-----END ${type}-----`, foot) && BASE64.test(body)) return { type, der: Buffer.from(body, 'base64') }
  }
  return undefined
}

/** Where the next line begins that begins a block; -1 for none. */
function next(text: string, from: number): number {
  const at = text.indexOf(`\n${BEGIN}`, from)
  return at < 0 ? -1 : at + 1
}

/**
 * The key pair of a private key in PEM: PKCS #8, not encrypted. An RSA key with less bits than are useful is none.
 *
 * @throws E_KEY_PEM_ABSENT, E_KEY_PEM_TYPE, E_KEY_PEM_PKCS8, E_KEY_PEM_CONVERSION, E_KEY_TOO_SMALL, E_KEY_TOO_LARGE
 */
export function identityOfPem(text: string): Identity {
  const block = pemBlock(text)
  if (block === undefined) throw keyErrors.E_KEY_PEM_ABSENT()
  if (block.type !== 'PRIVATE KEY') throw keyErrors.E_KEY_PEM_TYPE(block.type)
  let key: ReturnType<typeof createPrivateKey>
  try {
    key = createPrivateKey({ key: block.der, format: 'der', type: 'pkcs8' })
    checkConsistent(key)
  } catch (error) {
    throw keyErrors.E_KEY_PEM_PKCS8(messageOf(error))
  }
  const type = typeOf(key)
  if (type === undefined) throw keyErrors.E_KEY_PEM_CONVERSION('invalid or unsupported key type')
  if (type === 'rsa') checkBits(key.asymmetricKeyDetails?.modulusLength ?? 0)
  return identityOfObject(type, key)
}

/** A private key in libp2p's protobuf form as PEM: PKCS #8, not encrypted. */
export function pemOf(privateKey: Uint8Array): string {
  const { type, data } = decodeKey(privateKey, 'PrivateKey')
  return privateKeyObject(type, data).export({ type: 'pkcs8', format: 'pem' }) as string
}
