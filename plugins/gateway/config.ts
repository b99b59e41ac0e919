import type { Json, Repo } from '../../core/index.ts'
import { answerHeaders } from './headers.ts'
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
  /** Whether they are more than the CORS fields, which no answer sets. */
  readonly addsHeaders: boolean
  /** Entries of the configuration that have no effect, a line each, with its key. */
  readonly passedOver: readonly string[]
}

export function readConfig(repo: Pick<Repo, 'get'>): GatewayConfig {
  const get = <T extends Json>(key: string, otherwise: T): T => repo.get<T>(`Gateway.${key}`) ?? otherwise
  const deserialized = get('DeserializedResponses', true)
  const hosts = new KnownHosts(repo.get('Gateway.PublicGateways'), deserialized)
  const { headers, addsHeaders, passedOver } = answerHeaders(repo.get('Gateway.HTTPHeaders'))
  return {
    noFetch: get('NoFetch', false),
    noDnsLink: get('NoDNSLink', false),
    deserialized,
    htmlErrors: !get('DisableHTMLErrors', false),
    rootRedirect: get('RootRedirect', ''),
    exposesRouting: repo.get('Gateway.ExposeRoutingAPI') === true,
    proxiesPeers: repo.get('Experimental.P2pHttpProxy') === true,
    hosts,
    headers,
    addsHeaders,
    passedOver: [...passedOver, ...hosts.passedOver]
  }
}
