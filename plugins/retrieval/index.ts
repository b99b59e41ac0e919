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
import { BlockSources, Exchange, Host, Log, Metrics, optional, plugin, service } from '../../core/index.ts'
import { retrievalErrors } from './errors.ts'
import { get } from './get.ts'
import { Retrieval, RetrievalOfNode } from './retrieval.ts'
import { RetrievalSettings, retrievalSettings } from './settings.ts'

export default plugin({
  name: 'retrieval',
  api: '^1',
  about: 'Blocks from trustless gateways and hosts of RASL over HTTP, beside those from peers.',
  online: true,
  settings: retrievalSettings,
  internal: [
    service(RetrievalOfNode, {
      needs: {
        sources: BlockSources,
        exchange: optional(Exchange),
        host: Host,
        settings: RetrievalSettings,
        metrics: Metrics,
        log: Log
      },
      make: parts => new Retrieval(parts)
    })
  ],
  commands: [get],
  errors: retrievalErrors
})
