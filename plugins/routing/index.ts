/**
 * Where peers, content and records are: the distributed hash tables of IPFS, and delegated routers over HTTP.
 *
 * @packageDocumentation
 */
import { HeldInputs } from '../../core/body/index.ts'
import { Datastore, Dhts, Log, Network, plugin, Repo, Routing, service } from '../../core/index.ts'
import { routingPlan } from '../../core/network/index.ts'
import { query } from './commands/dht/query.ts'
import { findpeer } from './commands/findpeer.ts'
import { findprovs } from './commands/findprovs.ts'
import { get } from './commands/get.ts'
import { provide } from './commands/provide.ts'
import { put } from './commands/put.ts'
import { dht } from './commands/stats/dht.ts'
import { DualDht } from './dht/dual.ts'
import { tellingFull, ValueRecords } from './dht/records/records.ts'
import { MAX_VALUE } from './dht/records/validators.ts'
import { routingPluginErrors } from './errors.ts'
import { HttpRouter } from './http/client.ts'
import { loadLibraries } from './libraries.ts'
import { NodeRouting } from './service.ts'
import { RoutingSettings, routingSettings } from './settings.ts'
import { RoutingOfNode, RoutingValues, ValueInputs } from './tokens.ts'

/** Records that calls hold at a time. */
const MOST_INPUTS = 64

export default plugin({
  name: 'routing',
  api: '^1',
  about: 'Where peers, content and records are: the DHT and delegated routers.',
  nodeKeys: {
    atOnce: ['Provide.Enabled'],
    atStart: ['Routing.Type', 'Routing.Routers', 'Routing.Methods', 'Routing.LoopbackAddressesOnLanDHT']
  },
  settings: routingSettings,
  internal: [
    service(ValueInputs, { make: () => new HeldInputs(MOST_INPUTS * MAX_VALUE, 'records of routing/put') }),
    service(RoutingValues, {
      needs: { repo: Repo, datastore: Datastore, settings: RoutingSettings, log: Log },
      make: ({ repo, datastore, settings, log }) => new ValueRecords(datastore, repo.identity.peerId, settings, tellingFull(log, 'values'))
    }),
    service(RoutingOfNode, {
      needs: {
        repo: Repo,
        network: Network,
        datastore: Datastore,
        values: RoutingValues,
        settings: RoutingSettings,
        log: Log
      },
      onlyWith: [Network],
      make({ repo, network, datastore, values, settings, log }) {
        const plan = routingPlan(key => repo.get(key), process.env)
        const { httpTimeout, httpMaxBytes } = settings
        return new NodeRouting({
          network,
          plan,
          settings,
          log,
          httpRouter: endpoint => new HttpRouter({ endpoint, agent: network.agent, timeout: httpTimeout, maxBytes: httpMaxBytes }),
          async loadDht() {
            if (plan.dht === undefined) return undefined
            const loopback = repo.get('Routing.LoopbackAddressesOnLanDHT') === true
            const libraries = await loadLibraries()
            return DualDht.load({ network, libraries, datastore, values, settings, mode: plan.dht, loopback, log })
          }
        })
      }
    })
  ],
  provides: [
    service(Routing, { needs: { routing: RoutingOfNode }, onlyWith: [Network], make: ({ routing }) => routing }),
    service(Dhts, { needs: { routing: RoutingOfNode }, onlyWith: [Network], make: ({ routing }) => routing })
  ],
  commands: [query, findpeer, findprovs, get, provide, put, dht],
  errors: routingPluginErrors
})
