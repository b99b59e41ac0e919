/** The `Authorization` header that proves a secret; undefined for a secret of a kind that nobody can prove. */
export function authorizationHeader(secret: string): string | undefined {
  if (secret === '') return undefined
  const colon = secret.indexOf(':')
  if (colon < 0) return `Bearer ${secret}`
  const password = secret.slice(colon + 1)
  switch (secret.slice(0, colon)) {
    case 'bearer':
      return `Bearer ${password}`
    case 'basic':
      return `Basic ${password.includes(':') ? Buffer.from(password).toString('base64') : password}`
    default:
      return undefined
  }
}
