import { createECDH, type KeyObject } from 'node:crypto'
import { keyErrors } from './errors.ts'

/** The curves of ECDSA keys by their names in JWK, as OpenSSL calls them. */
const CURVES: Readonly<Record<string, string>> = { 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' }

/**
 * Refuses a private key whose parts do not belong together, as one of a damaged file: its public half would be that of another peer. OpenSSL takes
 * such keys. RSA: Go 1.22, crypto/rsa, `Validate`.
 *
 * @throws E_KEY_INVALID
 */
export function checkConsistent(key: KeyObject): void {
  if (key.asymmetricKeyType === 'rsa') checkRsa(key)
  if (key.asymmetricKeyType === 'ec') checkEc(key)
}

function checkRsa(key: KeyObject): void {
  const { n, e, d, p, q } = key.export({ format: 'jwk' })
  const [modulus, exponent, inverse, ...primes] = [n, e, d, p, q].map(numberOf) as [bigint, bigint, bigint, bigint, bigint]
  if (primes.some(prime => prime <= 1n)) throw keyErrors.E_KEY_INVALID('crypto/rsa: invalid prime value')
  if (primes[0]! * primes[1]! !== modulus) throw keyErrors.E_KEY_INVALID('crypto/rsa: invalid modulus')
  if (primes.some(prime => (exponent * inverse - 1n) % (prime - 1n) !== 0n)) throw keyErrors.E_KEY_INVALID('crypto/rsa: invalid exponents')
}

function checkEc(key: KeyObject): void {
  const { crv = '', d = '', x = '', y = '' } = key.export({ format: 'jwk' })
  const name = CURVES[crv]
  if (name === undefined) return
  const curve = createECDH(name)
  curve.setPrivateKey(Buffer.from(d, 'base64url'))
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  if (!curve.getPublicKey().equals(point)) throw keyErrors.E_KEY_INVALID('its public half does not belong to its private half')
}

function numberOf(text: string | undefined): bigint {
  const hex = Buffer.from(text ?? '', 'base64url').toString('hex')
  return hex === '' ? 0n : BigInt(`0x${hex}`)
}
