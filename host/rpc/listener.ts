import { Audit } from '../../core/callers/index.ts'
import type { Calls, Health, Host, Json, Logs, Repo } from '../../core/index.ts'
import { type Authorizations, authorizationsOf } from '../http/access/authorizations.ts'
import { OriginRules, originSettings } from '../http/access/cors.ts'
import { Guard } from '../http/access/guard.ts'
import { HostRule } from '../http/access/host-names.ts'
import { type ListenAddress, listenAddress } from '../http/listen/addresses.ts'
import { rpcErrors } from '../http/listener-errors.ts'
import { addPluginRoutes, type ResolvedRoute } from '../http/routes/plugin-routes.ts'
import type { Router } from '../http/routes/router.ts'
import { HttpServer } from '../http/server.ts'
import { type RpcSettings, withDefaults } from '../http/settings.ts'
import type { RequestCounts } from '../request-counts.ts'
import { CommandTree } from './command-tree.ts'
import { Documents } from './documents.ts'
import { RpcHandler } from './handler.ts'
import { addRoutes, WEBUIS } from './pages.ts'
import { ResponseHeaders } from './response/headers.ts'

export interface RpcOptions {
  readonly calls: Calls
  /** Where the node configuration comes from: `Addresses.API`, `API.*`, `Gateway.RootRedirect`. */
  readonly repo: Pick<Repo, 'get'>
  readonly host: Pick<Host, 'level' | 'plugins' | 'switchedOff'>
  /** The faults that `/health` and `/ready` tell of; undefined: none. */
  readonly health?: Pick<Health, 'present'>
  readonly logs: Pick<Logs, 'get'>
  /** The block `rpc` of the host configuration; what it does not say has its default. */
  readonly settings?: Partial<RpcSettings>
  /** Multiaddrs that stand before those of the settings and of the node configuration. */
  readonly addresses?: readonly string[]
  /** Plugins' routes on the listener `rpc`. */
  readonly routes?: readonly ResolvedRoute[]
  /** Where requests are counted. */
  readonly requestCounts?: RequestCounts
  /** Origins let in besides the configured ones. */
  readonly origins?: readonly string[]
  /** Serve all of `/ipfs`, `/ipns` and `/net` too, where a plugin has routes for them. */
  readonly unrestricted?: boolean
}

export interface RpcListener {
  /** Multiaddrs with the ports that were bound. */
  readonly addresses: readonly string[]
  /** Takes no more requests, lets the running ones finish for `stopGraceMs`, then cuts them off. */
  close(): Promise<void>
}

/**
 * Opens the RPC on every address; on none where `Addresses.API` is null or empty, as in the reference.
 *
 * @throws E_RPC_EXPOSED for an address that others reach while no caller needs a secret; E_RPC_ADDRESS, E_RPC_LISTEN
 */
export async function openRpc(options: RpcOptions): Promise<RpcListener> {
  const settings = withDefaults(options.settings)
  const wanted = await Promise.all(wantedAddresses(options, settings).map(listenAddress))
  const audit = new Audit(options.logs)
  const authorizations = authorizationsOf(options.repo, audit)
  const exposed = wanted.find(address => !address.local)
  if (exposed !== undefined && authorizations === undefined) throw rpcErrors.E_RPC_EXPOSED(exposed.text)
  const server = new HttpServer(settings, options.logs.get('rpc'), { requestCounts: options.requestCounts, authorizations })
  const tree = new CommandTree(options.calls, options.host.switchedOff())
  const documents = new Documents(options.calls, options.host)
  const addresses: string[] = []
  try {
    for (const address of wanted) {
      const filling = { ...options, settings, authorizations, audit, tree, documents, address }
      addresses.push(await server.open(address, (router, port) => fill(router, port, filling)))
    }
  } catch (error) {
    await server.close(0)
    throw error
  }
  return { addresses, close: () => server.close(settings.limits.stopGraceMs) }
}

/** Paths of content, which the RPC's listener serves where it is told to. */
const CONTENT = /^\/(?:ipfs|ipns|net)\//

function wantedAddresses({ addresses, repo }: RpcOptions, settings: RpcSettings): readonly string[] {
  const configured = repo.get<Json>('Addresses.API')
  const fromRepo = (Array.isArray(configured) ? configured : [configured]).filter(address => typeof address === 'string' && address !== '')
  return addresses ?? (settings.address === undefined ? (fromRepo as string[]) : [settings.address])
}

interface Filling extends RpcOptions {
  readonly settings: RpcSettings
  readonly authorizations: Authorizations | undefined
  readonly audit: Audit
  readonly tree: CommandTree
  readonly documents: Documents
  readonly address: ListenAddress
}

/** Puts everything that one address serves into its router. */
function fill(router: Router, port: number | undefined, filling: Filling): void {
  const { calls, repo, host, health, logs, settings, authorizations, audit, tree, documents, address, origins = [] } = filling
  const configured = repo.get<Json>('API.HTTPHeaders')
  const rules = new OriginRules(originSettings(configured, port, [...origins, ...originsOfListener(address, port)]))
  const guard = new Guard(new HostRule(address, settings.allowedHosts), rules, { audit })
  const headers = new ResponseHeaders(configured, host.level)
  const api = new RpcHandler({ calls, tree, origins: rules, guard, authorizations, headers, settings, level: host.level })
  router.route('/api/v0/*', (request, response, path, query) => api.handle(request, response, path, query), {
    isControl: path => tree.isControl(path)
  })
  const rootRedirect = repo.get<string>('Gateway.RootRedirect') ?? ''
  addRoutes({ router, guard, authorizations, headers, host, health, documents, local: address.local, rootRedirect })
  const { answerTimeoutMs } = settings.limits
  const { routes = [], unrestricted = false } = filling
  const served = unrestricted ? routes : routes.flatMap(route => restricted(route, WEBUIS[host.level]))
  addPluginRoutes({ router, guard, origins: rules, authorizations, audit, isRpc: true, logs, answerTimeoutMs, routes: served })
}

/** A route as it is without `unrestricted`: of content, the WebUI alone is served, as `/webui` leads there. */
function restricted(route: ResolvedRoute, webui: string): ResolvedRoute[] {
  const { declaration } = route
  if (!CONTENT.test(declaration.path)) return [route]
  return declaration.path === '/ipfs/*' ? [{ ...route, declaration: { ...declaration, path: `${webui}/*` } }] : []
}

/** How pages that a loopback listener serves itself say where they come from, beside the names that {@link OriginRules} knows. */
function originsOfListener({ listen, name, local }: ListenAddress, port: number | undefined): string[] {
  if (!local || !('host' in listen) || port === undefined) return []
  const hosts = [listen.host.includes(':') ? `[${listen.host}]` : listen.host, ...(name === undefined ? [] : [name])]
  return hosts.map(host => `http://${host}:${port}`)
}
