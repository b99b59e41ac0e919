import { nodeConfigModel } from '../config/node/index.ts'
import {
  Activity,
  type AnyProvision,
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

interface Parts {
  readonly host: Host & { readonly logs: HostLogs }
  readonly activity: Activity
  readonly metrics: HostMetrics
  /** Without one, everything is kept in memory. */
  readonly repo: RepoLocation | undefined
}

/** What the host itself provides to every plugin. */
export const HOST_SERVICES = [Activity, Host, Logs, Metrics, MetricsReport, NodeConfigModel, RepoLocation, StorageLayers] as const

export function hostServices({ host, activity, metrics, repo }: Parts): AnyProvision[] {
  return [
    ready(Activity, activity),
    ready(Host, host),
    ready(Logs, host.logs),
    ready(Metrics, metrics.of('host')),
    ready(MetricsReport, metrics),
    ready(NodeConfigModel, nodeConfigModel),
    ready(RepoLocation, repo ?? { path: undefined, init: {} }),
    ready(StorageLayers, new Map())
  ]
}
