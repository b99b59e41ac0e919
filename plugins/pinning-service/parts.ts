import { Audit, SecretUses } from '../../core/callers/index.ts'
import { Datastore, Denylist, Log, Logs, Network, optional, Pins, service, type Token, token, WriteBarrier } from '../../core/index.ts'
import { Admission } from './api/admission.ts'
import { PinningApi, PinningApiToken } from './api/api.ts'
import { Keeping } from './keeping.ts'
import { RequestTable } from './requests/table.ts'
import { PinningService, PinningServiceToken } from './service.ts'
import { PinningServiceSettings } from './settings.ts'
import { ServiceTokens, ServiceTokensToken } from './tokens/tokens.ts'
import { Worker } from './worker.ts'

/** When each token was last used. */
export const TokenUses: Token<SecretUses> = token<SecretUses>('pinning-service-uses')

/** The services of the plugin, that nobody else sees. */
export const internal = [
  service(TokenUses, {
    needs: { datastore: Datastore, log: Log },
    make: ({ datastore, log }) => new SecretUses(datastore, '/pinning-service/used/', log)
  }),
  service(ServiceTokensToken, {
    needs: { datastore: Datastore, settings: PinningServiceSettings },
    make: ({ datastore, settings: { limits } }) => new ServiceTokens({ datastore, limits })
  }),
  service(PinningServiceToken, {
    needs: {
      datastore: Datastore,
      pins: Pins,
      barrier: WriteBarrier,
      network: optional(Network),
      denylist: optional(Denylist),
      settings: PinningServiceSettings,
      log: Log
    },
    make({ datastore, pins, barrier, network, denylist, settings, log }) {
      const table = new RequestTable({ datastore, limits: settings.limits })
      const keeping = new Keeping({ datastore, pins, barrier, table })
      const worker = new Worker({ table, keeping, network, settings, log })
      return new PinningService({ table, keeping, worker, network, denylist, settings, log })
    }
  }),
  service(PinningApiToken, {
    needs: {
      service: PinningServiceToken,
      tokens: ServiceTokensToken,
      uses: TokenUses,
      settings: PinningServiceSettings,
      logs: Logs,
      log: Log
    },
    make: ({ service: of, tokens, uses, settings, logs, log }) =>
      new PinningApi({ service: of, settings, log, admission: new Admission({ tokens, uses, settings, audit: new Audit(logs) }) })
  })
]
