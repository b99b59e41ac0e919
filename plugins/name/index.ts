/**
 * Names that lead to content: those of keys by IPNS records, those of domains by DNSLink. See `service.ts` for the parts and how they meet.
 *
 * @packageDocumentation
 */
import { Datastore, Keys, Log, Names, Network, optional, PathResolver, plugin, Repo, service, TxtResolver } from '../../core/index.ts'
import { get } from './commands/get.ts'
import { inspect } from './commands/inspect.ts'
import { publish } from './commands/publish.ts'
import { cancel } from './commands/pubsub/cancel.ts'
import { state } from './commands/pubsub/state.ts'
import { subs } from './commands/pubsub/subs.ts'
import { put } from './commands/put.ts'
import { resolve } from './commands/resolve.ts'
import { Resolvers } from './dns/resolvers.ts'
import { nameErrors } from './errors.ts'
import { NameService } from './service.ts'
import { NameSettings, nameSettings } from './settings.ts'

export default plugin({
  name: 'name',
  api: '^1',
  about: 'Names that lead to content: of keys by IPNS records, of domains by DNSLink.',
  nodeKeys: {
    atStart: [
      'Ipns.RepublishPeriod',
      'Ipns.RecordLifetime',
      'Ipns.ResolveCacheSize',
      'Ipns.MaxCacheTTL',
      'Ipns.DelegatedPublishers',
      'DNS.Resolvers',
      'DNS.MaxCacheTTL'
    ]
  },
  settings: nameSettings,
  provides: [
    service(TxtResolver, { needs: { repo: Repo, settings: NameSettings }, make: s => new Resolvers(s.repo, s.settings) }),
    service(Names, {
      needs: {
        datastore: Datastore,
        keys: Keys,
        paths: PathResolver,
        repo: Repo,
        texts: TxtResolver,
        settings: NameSettings,
        network: optional(Network),
        log: Log
      },
      make: s => new NameService({ ...s, environment: process.env })
    })
  ],
  commands: [get, inspect, publish, put, resolve, cancel, state, subs],
  errors: nameErrors
})
