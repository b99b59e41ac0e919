import { isIP, isIPv6 } from 'node:net'
import { resolve } from 'node:path'

import { Audit } from '../../../core/callers/index.ts'
import { type ListenAt, type Logs, messageOf, type OpenAddress, Repo } from '../../../core/index.ts'
import { hostErrors } from '../../errors.ts'
import type { NodeHost } from '../../host.ts'
import type { ResolvedListener } from '../../plugins/compose/declarations.ts'
import { type Authorizations, authorizationsOf } from '../access/authorizations.ts'
import { OriginRules } from '../access/cors.ts'
import { Guard } from '../access/guard.ts'
import { HostRule } from '../access/host-names.ts'
import { httpErrors } from '../errors.ts'
import { addPluginRoutes, type ResolvedRoute, routeName } from '../routes/plugin-routes.ts'
import { HttpServer } from '../server.ts'
import { type RpcSettings, withDefaults } from '../settings.ts'

import { type ListenAddress, listenAddress } from './addresses.ts'

/** A listener of a plugin's own that is open. */
export interface OpenListener {
  readonly plugin: string
  readonly name: string
  /** The daemon's name for it, where the plugin gives one. */
  readonly title: string | undefined
  readonly addresses: readonly OpenAddress[]
  /** The URLs of these. */
  readonly urls: readonly [string, ...string[]]
  close(): Promise<void>
}

export interface PluginListenerOptions {
  readonly host: Pick<NodeHost, 'listeners' | 'routes' | 'service' | 'configuration'>
  readonly logs: Pick<Logs, 'get'>
  /** Whether the others open when one does not; without, none does. */
  tolerates?(plugin: string, failure: Error): boolean
}

/**
 * Opens the listeners that plugins declare, with the limits of the RPC.
 *
 * @throws E_LISTENER
 */
export async function openPluginListeners({ host, logs, tolerates }: PluginListenerOptions): Promise<readonly OpenListener[]> {
  const settings = withDefaults(host.configuration.rpc)
  const audit = new Audit(logs)
  const authorizations = authorizationsOf(host.service(Repo), audit)
  const open: OpenListener[] = []
  for (const listener of host.listeners()) {
    try {
      const at = listener.at()
      if (at !== undefined) open.push(await openOne(listener, at, { host, logs, settings, authorizations, audit }))
    } catch (error) {
      const failure = hostErrors.E_LISTENER(listener.plugin, listener.declaration.name, messageOf(error))
      if (tolerates?.(listener.plugin, failure)) continue
      await Promise.all(open.map(one => one.close()))
      throw failure
    }
  }
  return open
}

interface Parts extends PluginListenerOptions {
  readonly settings: RpcSettings
  readonly authorizations: Authorizations | undefined
  readonly audit: Audit
}

async function openOne({ plugin, declaration, opened }: ResolvedListener, at: readonly ListenAt[], parts: Parts): Promise<OpenListener> {
  const { logs, settings, authorizations } = parts
  const { name, tunnels } = declaration
  const server = new HttpServer(settings, logs.get(plugin), { authorizations, tunnels })
  const close = () => server.close(settings.limits.stopGraceMs)
  try {
    const addresses: OpenAddress[] = []
    for (const one of at) addresses.push(await openAt(one, server, plugin, name, parts))
    const [first, ...more] = addresses
    if (first === undefined) throw new Error('it names no address')
    await opened(addresses)
    return { plugin, name, title: declaration.title, addresses, urls: [first.url, ...more.map(({ url }) => url)], close }
  } catch (error) {
    await server.close(0)
    throw error
  }
}

async function openAt(at: ListenAt, server: HttpServer, plugin: string, name: string, parts: Parts): Promise<OpenAddress> {
  const { host, logs, settings, authorizations, audit } = parts
  const { allowedHosts = [], allowedOrigins = [] } = at
  const address = await addressOf(at)
  const routes = host.routes(name)
  if (authorizations === undefined) refuseExposed(at, address, routes)
  const refusals = {
    host: (asked: string) => httpErrors.E_ROUTE_HOST(asked, name, plugin).message,
    crossSite: () => httpErrors.E_ROUTE_CROSS_SITE(name, plugin).message
  }
  const multiaddr = await server.open(address, (router, port) => {
    const origins = new OriginRules({ port, origins: allowedOrigins })
    const guard = new Guard(new HostRule(address, allowedHosts), origins, { refusals, audit })
    const { answerTimeoutMs } = settings.limits
    addPluginRoutes({ router, guard, origins, authorizations, audit, isRpc: false, logs, answerTimeoutMs, routes })
  })
  return { multiaddr, url: urlOf(multiaddr) }
}

/**
 * Refuses an address where everybody could do what routes let their callers do, as the RPC does, unless the listener is for everybody.
 *
 * @throws E_LISTENER_EXPOSED
 */
function refuseExposed({ allowedHosts, allowedOrigins }: ListenAt, { local, text }: ListenAddress, routes: readonly ResolvedRoute[]): void {
  if (local || (allowedHosts?.includes('*') && allowedOrigins?.includes('*'))) return
  const route = routes.find(({ declaration }) => declaration.access !== undefined)
  if (route !== undefined) throw hostErrors.E_LISTENER_EXPOSED(text, routeName(route.declaration), route.plugin)
}

/** Where a plugin's listener opens: on loopback, unless the plugin says otherwise. @throws E_LISTENER_ADDRESS, E_RPC_ADDRESS */
export function addressOf(at: ListenAt): Promise<ListenAddress> {
  if ('multiaddr' in at) return listenAddress(at.multiaddr)
  if ('socket' in at) return listenAddress(`/unix${resolve(at.socket)}`)
  const { address = '127.0.0.1', port } = at
  if (isIP(address) === 0 || !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw hostErrors.E_LISTENER_ADDRESS(`${address}:${port}`)
  return listenAddress(`/${isIPv6(address) ? 'ip6' : 'ip4'}/${address}/tcp/${port}`)
}

/** The URL of a multiaddr that was bound. */
function urlOf(multiaddrText: string): string {
  if (multiaddrText.startsWith('/unix')) return `unix:${multiaddrText.slice('/unix'.length)}`
  const [, , host = '', , port] = multiaddrText.split('/')
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}
