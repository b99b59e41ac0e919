import type { Labels } from '../../core/index.ts'
import { CALL_SECONDS, type CallCounts, type CallCountsByCommand } from '../calls/call-counts.ts'
import type { RequestCounts } from '../request-counts.ts'
import { type Family, histogramValues } from './instruments.ts'

/** The outcomes of calls, by command. */
export function callFamilies(callCounts: CallCountsByCommand, running: () => number): Family[] {
  const used = [...callCounts.used()]
  const counter = (name: string, help: string, read: (counts: CallCounts) => number): Family => ({
    name,
    help,
    type: 'counter',
    values: () => used.map(([command, counts]) => ({ labels: { command }, value: read(counts) }))
  })
  const seconds = 'holdfast_command_seconds'
  return [
    counter('holdfast_command_calls_total', 'Calls that ended.', counts => counts.calls),
    counter(
      'holdfast_command_errors_total',
      'Calls that ended with an error, those that their caller left included.',
      counts => counts.errors
    ),
    counter('holdfast_command_received_bytes_total', 'Size of requests over HTTP, header fields included.', counts => counts.bytesIn),
    counter('holdfast_command_sent_bytes_total', 'Size of answers over HTTP, header fields included.', counts => counts.bytesOut),
    {
      name: seconds,
      help: 'Time from the start of a call to the end of its answer.',
      type: 'histogram',
      values: () => used.flatMap(([command, { within, seconds: sum }]) => histogramValues(seconds, CALL_SECONDS, within, sum, { command }))
    },
    {
      name: 'holdfast_calls_running',
      help: 'Calls that run at this moment.',
      type: 'gauge',
      values: () => [{ labels: {}, value: running() }]
    }
  ]
}

/** The counts of requests and bytes of HTTP listeners, under the names of Kubo 0.28 (core/corehttp/metrics.go). Its summaries have no quantiles here. */
export function requestFamilies(listeners: Readonly<Record<string, RequestCounts>>): Family[] {
  const all = Object.entries(listeners)
  const summary = (name: string, help: string, sum: (of: RequestCounts) => number): Family => ({
    name,
    help,
    type: 'summary',
    values: () =>
      all.flatMap(([handler, of]) => {
        const labels: Labels = { handler }
        return [
          { metricName: `${name}_sum`, labels, value: sum(of) },
          { metricName: `${name}_count`, labels, value: of.count }
        ]
      })
  })
  return [
    {
      name: 'ipfs_http_requests_total',
      help: 'HTTP requests that were answered.',
      type: 'counter',
      values: () =>
        all.flatMap(([handler, { requests }]) =>
          [...requests].map(([key, value]) => {
            const [method = '', code = ''] = key.split(' ')
            return { labels: { handler, method, code }, value }
          })
        )
    },
    summary('ipfs_http_request_duration_seconds', 'Time from a request to the end of its answer.', of => of.seconds),
    summary('ipfs_http_request_size_bytes', 'Size of requests, header fields included.', of => of.bytesIn),
    summary('ipfs_http_response_size_bytes', 'Size of answers, header fields included.', of => of.bytesOut)
  ]
}
