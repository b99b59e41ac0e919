import { type Host, type NodeConfig, type NodeConfigModel, type Repo, type Token, token } from '../../core/index.ts'
import { RemoteService } from './client/remote-service.ts'
import { normalEndpoint } from './endpoint.ts'
import { remotePinErrors } from './errors.ts'
import type { RemotePinSettings } from './settings.ts'

/** A pinning service as `Pinning.RemoteServices` of the node configuration has it. */
export interface ConfiguredService {
  readonly API: { readonly Endpoint: string; readonly Key: string }
  readonly Policies: { readonly MFS: MfsPolicy }
}

/** Whether the root of the mutable tree is pinned at a service whenever it has changed. */
interface MfsPolicy {
  readonly Enable: boolean
  /** `''`: `policy/PEER/mfs`. */
  readonly PinName: string
  /** The least time between two pins, as Go writes durations; `''`: five minutes. */
  readonly RepinInterval: string
}

interface RemoteServicesParts {
  readonly repo: Pick<Repo, 'config' | 'updateConfig'>
  readonly model: Pick<NodeConfigModel, 'typed' | 'merge'>
  readonly host: Pick<Host, 'version'>
  readonly settings: RemotePinSettings
}

/** The pinning services of the node configuration. It is read anew each time, so that a change counts at once. */
export class RemoteServices {
  readonly #parts: RemoteServicesParts

  constructor(parts: RemoteServicesParts) {
    this.#parts = parts
  }

  /** All by name, sorted. */
  list(): ReadonlyMap<string, ConfiguredService> {
    const { repo, model } = this.#parts
    const all = Object.entries(servicesOf(model.typed(repo.config())))
    return new Map(all.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  }

  /**
   * The service that a caller names.
   *
   * @param signal - ends its requests
   * @throws E_REMOTE_SERVICE_MISSING, E_REMOTE_SERVICE_EMPTY, E_REMOTE_SERVICE_UNKNOWN, E_REMOTE_ENDPOINT, E_REMOTE_KEY
   */
  named(name: string | undefined, signal: AbortSignal): RemoteService {
    if (name === undefined) throw remotePinErrors.E_REMOTE_SERVICE_MISSING()
    if (name === '') throw remotePinErrors.E_REMOTE_SERVICE_EMPTY()
    const configured = this.list().get(name)
    if (configured === undefined) throw remotePinErrors.E_REMOTE_SERVICE_UNKNOWN()
    return this.open(configured, signal)
  }

  /** @throws E_REMOTE_ENDPOINT, E_REMOTE_KEY */
  open({ API: { Endpoint, Key } }: ConfiguredService, signal: AbortSignal): RemoteService {
    const { host, settings } = this.#parts
    return new RemoteService({ endpoint: Endpoint, key: Key, agent: `holdfast/${host.version}`, bounds: settings, signal })
  }

  /** @throws E_REMOTE_SERVICE_EXISTS, E_REMOTE_SERVICES_MOST, and what {@link normalEndpoint} does */
  async add(name: string, endpoint: string, key: string): Promise<void> {
    const { repo, model, settings } = this.#parts
    const Endpoint = normalEndpoint(endpoint)
    await repo.updateConfig(file => {
      const known = servicesOf(model.typed(file))
      if (Object.hasOwn(known, name)) throw remotePinErrors.E_REMOTE_SERVICE_EXISTS()
      if (Object.keys(known).length >= settings.maxServices) throw remotePinErrors.E_REMOTE_SERVICES_MOST(settings.maxServices)
      const made = { API: { Endpoint, Key: key }, Policies: { MFS: { Enable: false, PinName: '', RepinInterval: '' } } }
      return model.merge(file, { Pinning: { RemoteServices: { [name]: made } } })
    })
  }

  /** Forgets a service; one that is not there is none the less. */
  async remove(name: string): Promise<void> {
    await this.#parts.repo.updateConfig(file => without(file, name))
  }
}

export const RemoteServicesToken: Token<RemoteServices> = token<RemoteServices>('remote-services')

function servicesOf(config: NodeConfig): Readonly<Record<string, ConfiguredService>> {
  return (config['Pinning'] as unknown as { RemoteServices: Record<string, ConfiguredService> | null }).RemoteServices ?? {}
}

/** The file without a service, however it spells the two keys above it. */
function without(file: NodeConfig, name: string): NodeConfig {
  const inside = (object: NodeConfig, key: string, change: (value: NodeConfig) => NodeConfig): NodeConfig =>
    Object.fromEntries(
      Object.entries(object).map(([member, value]) =>
        member.toLowerCase() === key && typeof value === 'object' && value !== null && !Array.isArray(value)
          ? [member, change(value as NodeConfig)]
          : [member, value]
      )
    )
  return inside(file, 'pinning', pinning =>
    inside(pinning, 'remoteservices', services => Object.fromEntries(Object.entries(services).filter(([service]) => service !== name)))
  )
}
