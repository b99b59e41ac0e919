import { Audit } from '../core/callers/index.ts'
import { type Host, type Logger, Metrics } from '../core/index.ts'
import { ActivityList } from './calls/activity.ts'
import { CallCountsByCommand } from './calls/call-counts.ts'
import { HostCalls } from './calls/calls.ts'
import { FINISHED_CALLS } from './configuration.ts'
import { HostHealth } from './health.ts'
import { HostLogs } from './logs/logs.ts'
import { metricsOfHost } from './metrics/of-host.ts'
import { ProcessMetrics } from './metrics/process.ts'
import type { HostOptions } from './options.ts'
import type { Composition } from './plugins/compose/composition.ts'
import { hasPartIn } from './plugins/compose/part.ts'
import { type Planned, planned } from './plugins/compose/planned.ts'
import { ServiceRegistry } from './plugins/registry.ts'
import { StartedPlugins } from './plugins/start.ts'
import { RequestCounts } from './request-counts.ts'
import { hostServices } from './services.ts'

/** The parts that a host is put together from. */
export interface HostParts {
  readonly composition: Composition
  readonly logs: HostLogs
  /** The host's own log. */
  readonly log: Logger
  readonly calls: HostCalls
  readonly health: HostHealth
  readonly requestCounts: RequestCounts
  readonly process: ProcessMetrics
  readonly registry: ServiceRegistry
  readonly started: StartedPlugins
  readonly planned: Planned
}

/** @param isVital - whether a plugin's failure ends the host */
export function partsOf(
  host: Host,
  { configuration = {}, services = [], repo, patience, command, logLevel, log: logOptions }: HostOptions,
  composition: Composition,
  isVital: (plugin: string) => boolean
): HostParts {
  const logs = new HostLogs({ ...logOptions, level: logLevel ?? logOptions?.level })
  const log = logs.get('host')
  const registry = new ServiceRegistry()
  const activity = new ActivityList(configuration.calls?.finished ?? FINISHED_CALLS)
  const callCounts = new CallCountsByCommand()
  const requestCounts = new RequestCounts()
  const process = new ProcessMetrics()
  const calls = new HostCalls({
    activity,
    callCounts,
    registry,
    checkReplies: configuration.rpc?.checkReplies ?? false,
    log,
    audit: new Audit(logs)
  })
  const metrics = metricsOfHost(log, { level: host.level, callCounts, requestCounts, process, running: () => calls.running })
  const health = new HostHealth(log, metrics.of('host'))
  for (const { token, value } of hostServices({
    host,
    logs,
    calls,
    activity,
    health,
    metrics,
    repo,
    rpcAddress: configuration.rpc?.address
  }))
    registry.set(token, value)
  for (const { token, value } of services) registry.set(token, value)
  const given = new Set<symbol>(services.map(({ token }) => token))
  const started = new StartedPlugins({
    composition,
    registry,
    repo: repo?.path,
    given,
    patience,
    logOf: name => logs.get(name),
    metricsOf: name => (given.has(Metrics) ? registry.get(Metrics)! : metrics.of(name)),
    isVital,
    hasPart: command === undefined ? () => true : hasPartIn(command, composition)
  })
  return {
    composition,
    logs,
    log,
    calls,
    health,
    requestCounts,
    process,
    registry,
    started,
    planned: planned(composition, repo?.path, isVital)
  }
}
