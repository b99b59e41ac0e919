import { Repo, tokenName } from '../core/index.ts'
import { catalogue } from '../plugins/catalogue.ts'
import { hostErrors } from './errors.ts'
import { NodeHost } from './host.ts'
import type { HostOptions } from './options.ts'
import { compose } from './plugins/compose/compose.ts'
import { loadPlugins } from './plugins/load/load.ts'
import { HOST_SERVICES } from './services.ts'

/** Loads and orders what the configuration wants. Nothing has started yet; whatever a person has to mend is thrown here. */
export async function createHost(options: HostOptions = {}): Promise<NodeHost> {
  const configuration = options.configuration ?? {}
  const where = options.configurationFile ?? 'the configuration'
  const base = options.base ?? process.cwd()
  const all = await loadPlugins({
    catalogue: options.catalogue ?? catalogue,
    configuration,
    where,
    base,
    offline: options.offline,
    joins: options.joins,
    given: options.plugins,
    patience: options.patience
  })
  const hostServices = new Map(HOST_SERVICES.map(token => [tokenName(token), { replaces: false }]))
  for (const { token } of options.services ?? []) hostServices.set(tokenName(token), { replaces: true })
  const composition = compose(all, configuration, where, hostServices)
  return new NodeHost(options, all, composition)
}

/** The repo of a started host. */
export function repoOf(host: NodeHost): Repo {
  const repo = host.service(Repo)
  if (repo === undefined) throw hostErrors.E_SERVICE_MISSING('repo', ['the RPC listener'], '')
  return repo
}
