import { type Logger, type RpcLevel, versionOfLevel } from '../../core/index.ts'
import type { CallCountsByCommand } from '../calls/call-counts.ts'
import type { RequestCounts } from '../request-counts.ts'
import { version } from '../version.ts'
import { callFamilies, requestFamilies } from './calls.ts'
import { HostMetrics } from './metrics.ts'
import type { ProcessMetrics } from './process.ts'

interface Measured {
  readonly level: RpcLevel
  readonly callCounts: CallCountsByCommand
  readonly requestCounts: RequestCounts
  readonly process: ProcessMetrics
  running(): number
}

/** The metrics of one host, with what it measures of itself. */
export function metricsOfHost(log: Logger, { level, callCounts, requestCounts, process, running }: Measured): HostMetrics {
  const metrics = new HostMetrics(log)
  const info = { version: versionOfLevel(level), commit: `holdfast/${version}` }
  const hostMetrics = metrics.of('host')
  hostMetrics.observed({ name: 'ipfs_info', whole: true, type: 'gauge', help: 'What this node is.' }, () => [{ value: 1, labels: info }])
  metrics.from(() => callFamilies(callCounts, running))
  metrics.from(() => requestFamilies({ api: requestCounts }))
  metrics.from(() => process.families())
  return metrics
}
