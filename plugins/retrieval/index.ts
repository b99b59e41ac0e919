/**
 * Blocks over HTTP: trustless gateways and hosts of RASL as sources like peers, asked beside these, each block held against its CID.
 *
 * ```yaml
 * plugins:
 *   retrieval: { gateways: [https://gateway.example], rasl: [host.example] }
 * ```
 *
 * @packageDocumentation
 */
import { Budget } from '../../core/concurrency/index.ts'
import { BlockSources, Exchange, Host, Log, Metrics, optional, plugin, service } from '../../core/index.ts'
import { retrievalErrors } from './errors.ts'
import { Gateway, RASL, TRUSTLESS } from './gateway.ts'
import { BlockRequests } from './request.ts'
import { RetrievalSettings, retrievalSettings } from './settings.ts'
import { GatewaySource, SourceOfNode } from './source.ts'

export default plugin({
  name: 'retrieval',
  api: '^1',
  about: 'Blocks from trustless gateways and hosts of RASL over HTTP, beside those from peers.',
  online: true,
  settings: retrievalSettings,
  internal: [
    service(SourceOfNode, {
      needs: {
        sources: BlockSources,
        exchange: optional(Exchange),
        host: Host,
        settings: RetrievalSettings,
        metrics: Metrics,
        log: Log
      },
      make({ sources, exchange, host, settings, metrics, log }) {
        const named = [
          ...settings.gateways.map(text => ({ base: new URL(text), form: TRUSTLESS })),
          ...settings.rasl.map(text => ({ base: new URL(text.includes('://') ? text : `https://${text}`), form: RASL }))
        ]
        const requests = new BlockRequests(
          settings,
          `holdfast/${host.version}`,
          named.map(({ base }) => base)
        )
        const budget = new Budget(settings.maxInFlight)
        const asked = metrics.counter({
          name: 'requests_total',
          help: 'Requests to gateways, by what came of them: a block, none (absent), a failure, or nobody waited any more (left).',
          labels: ['gateway', 'outcome']
        })
        const received = metrics.counter({ name: 'bytes_total', help: 'Bytes of blocks that gateways gave.', labels: ['gateway'] })
        const gateways = named.map(parts => {
          const gateway = new Gateway({
            ...parts,
            settings,
            requests,
            budget,
            log,
            ended(outcome, bytes) {
              asked.inc(1, { gateway: gateway.name, outcome })
              received.inc(bytes, { gateway: gateway.name })
            }
          })
          return gateway
        })
        const each = (read: (gateway: Gateway) => number) => () =>
          gateways.map(gateway => ({ value: read(gateway), labels: { gateway: gateway.name } }))
        const spec = { type: 'gauge', labels: ['gateway'] } as const
        metrics.observed(
          { ...spec, name: 'waiting', help: 'Blocks that wait until a gateway may be asked for them.' },
          each(({ waiting }) => waiting)
        )
        metrics.observed(
          { ...spec, name: 'rests_seconds', help: 'Time for which a gateway that failed is left alone.' },
          each(({ rests }) => rests / 1000)
        )
        return new GatewaySource({ gateways, requests, settings, sources, hasPeers: exchange !== undefined })
      }
    })
  ],
  errors: retrievalErrors
})
