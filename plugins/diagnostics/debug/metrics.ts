import { Log, MetricsReport, route } from '../../../core/index.ts'
import { answer, flow } from './respond.ts'

/** Prometheus' text format, as the reference names it. */
const TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=values'

export const metricsRoute = route({
  listener: 'rpc',
  method: '*',
  path: '/debug/metrics/prometheus',
  help: 'The metrics of this node.',
  access: 'read',
  control: true,
  needs: { report: MetricsReport, log: Log },
  handle: async ({ report, log }, _, response, { signal }) =>
    flow(response, { 'Content-Type': TYPE }, [await report.text()], { signal, log })
})

/** Where the reference has the metrics of its OpenCensus exporter, of which there are none. */
export const openCensusRoute = route({
  listener: 'rpc',
  method: '*',
  path: '/debug/metrics/oc',
  help: 'Nothing: all metrics are under /debug/metrics/prometheus.',
  access: 'read',
  handle: (_, __, response) => answer(response, TYPE, '')
})
