import { createHash, randomBytes } from 'node:crypto'

/** A secret of 256 bits, as text that fits a header field. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored form of a secret: `sha256:` and its hash in hexadecimal. Only of what {@link newSecret} makes, which nobody can guess by trying. */
export function hashOfSecret(secret: string): string {
  return `sha256:${createHash('sha256').update(secret).digest('hex')}`
}
