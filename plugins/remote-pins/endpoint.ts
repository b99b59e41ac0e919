import { cleanPath } from '../../core/go/index.ts'
import { remotePinErrors } from './errors.ts'

/** Characters that Go leaves as they are in a path, besides percent-encodings (net/url, `EscapedPath`). */
const PLAIN = /[A-Za-z0-9\-_.~$&+,/:;=@!'()*%]/

/**
 * The address of a pinning service as it is kept: its path clean and without a slash at its end (Kubo 0.28, core/commands/pin/remotepin.go).
 *
 * @throws E_REMOTE_ENDPOINT, E_REMOTE_ENDPOINT_QUERY, E_REMOTE_ENDPOINT_PINS
 */
export function normalEndpoint(text: string): string {
  // what follows `#` is a part of the path, as Go's reader of request targets has it
  const [, scheme, host = '', path = '', query] = /^(https?):(?:\/\/([^/?]*))?([^?]*)(\?.*)?$/is.exec(text) ?? []
  if (scheme === undefined || !isHost(host) || /[\0-\x20\x7f]/.test(text)) throw remotePinErrors.E_REMOTE_ENDPOINT()
  if (path !== '' && !path.startsWith('/')) throw remotePinErrors.E_REMOTE_ENDPOINT()
  if (/%(?![0-9a-f]{2})/i.test(path)) throw remotePinErrors.E_REMOTE_ENDPOINT()
  if (query !== undefined && query !== '?') throw remotePinErrors.E_REMOTE_ENDPOINT_QUERY()
  const clean = path === '' ? '' : cleanPath(path)
  if (clean.endsWith('/pins')) throw remotePinErrors.E_REMOTE_ENDPOINT_PINS()
  return `${scheme.toLowerCase()}:${host === '' ? '' : `//${host}`}${clean === '/' ? '' : escaped(clean)}`
}

/** The URL of a service that is asked: without a name and password, which no message shows. @throws E_REMOTE_ENDPOINT for one without a host */
export function requestBase(endpoint: string): string {
  // what URL would make of `http:` is a host named `pins`
  if (!/^https?:\/\/[^/]/i.test(endpoint) || !URL.canParse(endpoint)) throw remotePinErrors.E_REMOTE_ENDPOINT()
  const url = new URL(endpoint)
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  return url.href.replace(/\/$/, '')
}

function isHost(host: string): boolean {
  return host === '' || URL.canParse(`http://${host}/`)
}

function escaped(path: string): string {
  return [...path].map(char => (PLAIN.test(char) ? char : encodeURIComponent(char))).join('')
}
