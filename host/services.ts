import {
  Activity,
  type AnyProvision,
  Calls,
  Health,
  Host,
  Logs,
  Metrics,
  MetricsReport,
  NodeConfigModel,
  RepoLocation,
  ready,
  StorageLayers
} from '../core/index.ts'
import type { HostLogs } from './logs/logs.ts'
import type { HostMetrics } from './metrics/metrics.ts'
import { modelWithRpc } from './rpc/refused.ts'

interface Parts {
  readonly host: Host
  readonly logs: HostLogs
  readonly calls: Calls
  readonly activity: Activity
  readonly health: Health
  readonly metrics: HostMetrics
  /** Without one, everything is kept in memory. */
  readonly repo: RepoLocation | undefined
  /** Where the host configuration says that the RPC listens. */
  readonly rpcAddress: string | undefined
}

/** The services that the host itself provides to every plugin. */
export const HOST_SERVICES = [
  Activity,
  Calls,
  Health,
  Host,
  Logs,
  Metrics,
  MetricsReport,
  NodeConfigModel,
  RepoLocation,
  StorageLayers
] as const

export function hostServices({ host, logs, calls, activity, health, metrics, repo, rpcAddress }: Parts): AnyProvision[] {
  return [
    ready(Activity, activity),
    ready(Calls, calls),
    ready(Health, health),
    ready(Host, host),
    ready(Logs, logs),
    ready(Metrics, metrics.of('host')),
    ready(MetricsReport, metrics),
    ready(NodeConfigModel, modelWithRpc(rpcAddress)),
    ready(RepoLocation, repo ?? { path: undefined, init: {} }),
    ready(StorageLayers, new Map())
  ]
}
