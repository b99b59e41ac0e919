import { byteString } from '../../core/go/index.ts'
import type { Json, Repo } from '../../core/index.ts'
import { KnownHosts } from './hosts/known.ts'

/** The section of the node configuration about the gateway (`Gateway.*`, Kubo 0.28). */
export interface GatewayConfig {
  readonly noFetch: boolean
  readonly noDnsLink: boolean
  readonly deserialized: boolean
  readonly htmlErrors: boolean
  /** Where everything goes that nothing else takes; `''`: nowhere. */
  readonly rootRedirect: string
  /** Whether routing requests are answered, as by a delegated router. */
  readonly exposesRouting: boolean
  /** Whether requests are handed on to peers. */
  readonly proxiesPeers: boolean
  readonly hosts: KnownHosts
  /** Fields of every answer, name and value in turn. */
  readonly headers: readonly string[]
}

export function readConfig(repo: Pick<Repo, 'get'>): GatewayConfig {
  const get = <T extends Json>(key: string, otherwise: T): T => repo.get<T>(`Gateway.${key}`) ?? otherwise
  const deserialized = get('DeserializedResponses', true)
  return {
    noFetch: get('NoFetch', false),
    noDnsLink: get('NoDNSLink', false),
    deserialized,
    htmlErrors: !get('DisableHTMLErrors', false),
    rootRedirect: get('RootRedirect', ''),
    exposesRouting: repo.get('Gateway.ExposeRoutingAPI') === true,
    proxiesPeers: repo.get('Experimental.P2pHttpProxy') === true,
    hosts: new KnownHosts(repo.get('Gateway.PublicGateways'), deserialized),
    headers: answerHeaders(repo.get('Gateway.HTTPHeaders'))
  }
}

const CORS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Access-Control-Allow-Headers', ['Content-Type', 'Range', 'User-Agent', 'X-Requested-With']],
  ['Access-Control-Allow-Methods', ['GET', 'HEAD', 'OPTIONS']],
  ['Access-Control-Allow-Origin', ['*']],
  [
    'Access-Control-Expose-Headers',
    ['Content-Length', 'Content-Range', 'X-Chunked-Output', 'X-Ipfs-Path', 'X-Ipfs-Roots', 'X-Stream-Output']
  ]
])
/** Of these, the lists that a configuration adds to; it replaces the others. */
const EXTENDED = new Set(['Access-Control-Allow-Headers', 'Access-Control-Expose-Headers'])
const NAME = /^[!#$%&'*+.^`|~\w-]+$/

/** The CORS fields with what the configuration adds or replaces, and all its other fields. */
function answerHeaders(configured: Json | undefined): readonly string[] {
  const fields = new Map(CORS)
  for (const [key, values] of Object.entries((configured ?? {}) as Readonly<Record<string, Json>>)) {
    const name = key.toLowerCase().replace(/(^|[-_])[a-z]/g, found => found.toUpperCase())
    const own = (Array.isArray(values) ? values : [values]).filter(value => typeof value === 'string').map(fieldValue)
    if (!NAME.test(name)) continue
    const before = EXTENDED.has(name) ? fields.get(name)! : []
    fields.set(name, [...new Set([...before, ...own])])
  }
  return [...fields].flatMap(([name, values]) => {
    if (EXTENDED.has(name)) return [name, [...values].sort().join(', ')]
    return name === 'Access-Control-Allow-Methods' ? [name, values.join(', ')] : values.flatMap(value => [name, value])
  })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/g

/** Text as the value of a header field: its UTF-8 bytes, control characters as spaces. */
export function fieldValue(text: string): string {
  return byteString(text).replace(CONTROL, ' ').trim()
}
