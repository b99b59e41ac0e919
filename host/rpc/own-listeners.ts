import { isIPv6 } from 'node:net'
import { type ListenAt, type Logs, messageOf, Repo } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import { type NodeHost } from '../host.ts'
import type { BoundListener } from '../plugins/declarations.ts'
import { type ListenAddress, listenAddress } from './addresses.ts'
import { Authorizations } from './authorization.ts'
import { Door } from './door.ts'
import { Guard } from './guard.ts'
import { HostRule } from './hosts.ts'
import { OriginRules } from './origin.ts'
import { NOT_FOUND, plain } from './plain.ts'
import { addPluginRoutes } from './routes.ts'
import { type RpcSettings, withDefaults } from './settings.ts'

/** A listener of a plugin's own that is open. */
export interface OpenListener {
  readonly plugin: string
  readonly name: string
  /** `http://127.0.0.1:8090` */
  readonly url: string
  close(): Promise<void>
}

export interface OwnListenerOptions {
  readonly host: Pick<NodeHost, 'listeners' | 'routes' | 'service' | 'configuration'>
  readonly logs: Pick<Logs, 'get'>
  /** Whether the others open when one does not; without, none does. */
  tolerates?(plugin: string, failure: Error): boolean
}

/**
 * Opens the listeners that plugins declare, with the limits and the rules about callers that the RPC has.
 *
 * @throws E_LISTENER
 */
export async function openOwnListeners({ host, logs, tolerates }: OwnListenerOptions): Promise<readonly OpenListener[]> {
  const settings = withDefaults(host.configuration.rpc)
  const authorizations = Authorizations.of(host.service(Repo)?.get('API.Authorizations'))
  const open: OpenListener[] = []
  for (const listener of host.listeners()) {
    try {
      open.push(await openOne(listener, { host, logs, settings, authorizations }))
    } catch (error) {
      const failure = hostErrors.E_LISTENER(listener.plugin, listener.declaration.name, messageOf(error))
      if (tolerates?.(listener.plugin, failure)) continue
      await Promise.all(open.map(one => one.close()))
      throw failure
    }
  }
  return open
}

/** Where a plugin's listener opens: on loopback, unless the plugin says otherwise. @throws E_RPC_ADDRESS */
export function addressOf({ address: ip = '127.0.0.1', port }: ListenAt): Promise<ListenAddress> {
  return listenAddress(`/${isIPv6(ip) ? 'ip6' : 'ip4'}/${ip}/tcp/${port}`)
}

interface Parts extends OwnListenerOptions {
  readonly settings: RpcSettings
  readonly authorizations: Authorizations | undefined
}

async function openOne({ plugin, declaration, at }: BoundListener, parts: Parts): Promise<OpenListener> {
  const { host, logs, settings, authorizations } = parts
  const { name } = declaration
  const address = await addressOf(at())
  const door = new Door(settings, logs.get(plugin), { authorizations })
  const bound = await door.open(address, (mux, boundPort) => {
    const origins = new OriginRules({ port: boundPort })
    const guard = new Guard(new HostRule(address, settings.allowedHosts), origins)
    addPluginRoutes({ mux, guard, origins, authorizations, routes: host.routes(name) }, { everybody: true })
    mux.route('/', (request, response) => plain(request, response, 404, NOT_FOUND))
  })
  const [, , onHost = '', , boundPort] = bound.split('/')
  const url = `http://${isIPv6(onHost) ? `[${onHost}]` : onHost}:${boundPort}`
  return { plugin, name, url, close: () => door.close(settings.limits.stopGraceMs) }
}
