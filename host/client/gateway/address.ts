import { GatewayError } from './errors.ts'

/** Where a gateway is. */
export interface Address {
  /** Its URL without name and password, and without a slash at the end. */
  readonly url: string
  /** The name in messages: as it was given, without name and password. */
  readonly name: string
  /** Header fields that go with each request. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The address that a text gives. Name and password in it become a header field and appear nowhere else. `localhost` is asked as 127.0.0.1:
 * gateways redirect requests to that name to a name of its own for each CID, which many systems do not resolve.
 *
 * @throws E_GATEWAY_ADDRESS
 */
export function addressOf(text: string): Address {
  const shown = text.replace(/\/\/[^/]*@/, '//')
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new GatewayError('E_GATEWAY_ADDRESS', `'${shown}' is no address of a gateway: give a URL such as https://gateway.example`)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new GatewayError('E_GATEWAY_ADDRESS', `'${shown}' is no address of a gateway: it is neither http: nor https:`)
  const { username, password, hostname } = url
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  const name = withoutSlash(url.href)
  if (hostname === 'localhost') url.hostname = '127.0.0.1'
  const headers: Record<string, string> = {}
  if (username !== '' || password !== '') headers['authorization'] = `Basic ${base64(`${decoded(username)}:${decoded(password)}`)}`
  return { url: withoutSlash(url.href), name, headers }
}

function withoutSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
