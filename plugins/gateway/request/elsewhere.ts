import type { IncomingMessage } from 'node:http'
import { searchParams } from '../../../core/go/index.ts'
import { messageOf } from '../../../core/index.ts'
import { tryPeerId } from '../../../core/keys/index.ts'
import { gatewayErrors } from '../errors.ts'
import { labelOfKey } from '../hosts/label.ts'
import { isContentPath, parsePath } from './path.ts'
import { parseTarget, type Target } from './target.ts'

const URI = /^(ipfs|ipns|net):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i

/**
 * Where a browser's handler of the protocols `ipfs:` and `ipns:` leads, which asks for `?uri=ipfs://…`; undefined for other requests.
 *
 * @throws E_GATEWAY_URI, E_GATEWAY_URI_SCHEME
 */
export function uriTarget({ rawQuery }: Target): string | undefined {
  if (!rawQuery.includes('uri=')) return undefined
  const uri = searchParams(rawQuery).get('uri')
  if (uri === null || uri === '') return undefined
  if (/%(?![0-9a-f]{2})/i.test(uri)) throw gatewayErrors.E_GATEWAY_URI(uri)
  const [, scheme, host, path = '', query = ''] = URI.exec(uri) ?? []
  if (scheme === undefined) throw gatewayErrors.E_GATEWAY_URI_SCHEME()
  return Buffer.from(`/${scheme.toLowerCase()}/${host}${path}${query}`).toString('latin1')
}

/** @throws E_GATEWAY_SERVICE_WORKER where a page would put a worker over all content of a host: an escaped slash ends no scope. */
export function refuseRegistration({ headers }: IncomingMessage, { rawPath }: Target): void {
  if (headers['service-worker'] === 'script' && /^\/[^/]+\/[^/]+$/.test(rawPath)) throw gatewayErrors.E_GATEWAY_SERVICE_WORKER()
}

export interface Elsewhere {
  readonly status: 301 | 302
  readonly location: string
}

/** Where a path leads that has a namespace too many, or names a key in another form than base36; undefined for all others. */
export function sentElsewhere({ rawPath, path, rawQuery }: Target): Elsewhere | undefined {
  const query = rawQuery === '' ? '' : `?${rawQuery}`
  if (path.startsWith('/ipns/')) {
    const [, , root = ''] = path.split('/', 3)
    const key = tryPeerId(root)
    const label = key && labelOfKey(key)
    if (label === undefined || label === root) return undefined
    return { status: 302, location: `/ipns/${label}${afterSegments(rawPath, 2)}${query}` }
  }
  const pathAfter = afterSegments(rawPath, 1)
  if (!SUPERFLUOUS.test(pathAfter)) return undefined
  try {
    const meant = parseTarget(pathAfter).path
    if (isContentPath(meant)) parsePath(meant)
  } catch (error) {
    throw gatewayErrors.E_GATEWAY_NAMESPACE(messageOf(error))
  }
  return { status: 301, location: pathAfter + query }
}

const SUPERFLUOUS = /^\/(?:ipfs|ipns|net)\//

/** The path behind its first `count` segments. */
function afterSegments(path: string, count: number): string {
  let at = 0
  for (let i = 0; i < count && at >= 0; i++) at = path.indexOf('/', at + 1)
  return at < 0 ? '' : path.slice(at)
}
