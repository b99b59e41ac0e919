import { Budget } from '../../core/concurrency/index.ts'
import { trimRight } from '../../core/go/index.ts'
import {
  type BlockSource,
  type BlockSources,
  type Exchange,
  type Host,
  type Lease,
  type Logger,
  type Metrics,
  type Startable,
  type Token,
  token
} from '../../core/index.ts'
import { type Form, Gateway, type Outcome, RASL, TRUSTLESS } from './gateway.ts'
import { BlockRequests } from './request.ts'
import { hostUrl, type RetrievalSettings } from './settings.ts'
import { GatewaySource } from './source.ts'

/** The gateway in metrics of hosts that URLs name: what callers make up is no label. */
const HINTED = 'hinted'

interface Parts {
  readonly sources: BlockSources
  readonly exchange: Exchange | undefined
  readonly host: Pick<Host, 'version'>
  readonly settings: RetrievalSettings
  readonly metrics: Metrics
  readonly log: Logger
}

/** The gateways that the configuration names, as one source of blocks, and those that callers name for one block. */
export class Retrieval implements Startable {
  readonly #parts: Parts
  readonly #requests: BlockRequests
  readonly #budget: Budget
  readonly #gateways: readonly Gateway[]
  readonly #source: GatewaySource
  readonly #ended: ReturnType<typeof counted>
  #lease: Lease | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    const { settings, host, exchange, metrics, log } = parts
    const named = [
      ...settings.gateways.map(text => ({ base: new URL(text), form: TRUSTLESS })),
      ...settings.rasl.map(text => ({ base: hostUrl(text), form: RASL }))
    ]
    this.#budget = new Budget(settings.maxInFlight)
    this.#requests = new BlockRequests(
      settings,
      `holdfast/${host.version}`,
      named.map(({ base }) => base)
    )
    this.#ended = counted(metrics)
    this.#gateways = named.map(({ base, form }) => this.#gateway(base, form, log))
    this.#source = new GatewaySource({ gateways: this.#gateways, settings, hasPeers: exchange !== undefined })
    observe(metrics, this.#gateways)
  }

  start(): void {
    if (this.#gateways.length > 0) this.#lease = this.#parts.sources.add(this.#source)
  }

  stop(): void {
    this.#lease?.release()
    this.#source.stop()
    this.#requests.close()
  }

  /** Hosts that somebody names for one block, over https. Where the configuration does not name them too, they have public addresses. */
  hinted(hosts: readonly string[]): BlockSource {
    const { settings, log } = this.#parts
    const quiet = { info: log.debug.bind(log), warn: log.debug.bind(log) } as Pick<Logger, 'info' | 'warn'>
    const gateways = [...new Set(hosts)].map(host => this.#gateway(hostUrl(host), RASL, quiet, HINTED))
    return new GatewaySource({ gateways, settings, hasPeers: false })
  }

  #gateway(base: URL, form: Form, log: Pick<Logger, 'info' | 'warn'>, label?: string): Gateway {
    const name = trimRight(base.href, '/')
    const ended = this.#ended(label ?? name)
    return new Gateway({ name, base, form, settings: this.#parts.settings, requests: this.#requests, budget: this.#budget, log, ended })
  }
}

/** What became of requests, by the label of who was asked. */
function counted(metrics: Metrics) {
  const asked = metrics.counter({
    name: 'requests_total',
    help: 'Requests to gateways, by what came of them: a block, none (absent), a failure, or nobody waited any more (left).',
    labels: ['gateway', 'outcome']
  })
  const received = metrics.counter({ name: 'bytes_total', help: 'Bytes of blocks that gateways gave.', labels: ['gateway'] })
  return (gateway: string) => (outcome: Outcome, bytes: number) => {
    asked.inc(1, { gateway, outcome })
    received.inc(bytes, { gateway })
  }
}

function observe(metrics: Metrics, gateways: readonly Gateway[]): void {
  const gauge = (name: string, help: string, read: (gateway: Gateway) => number) =>
    metrics.observed({ type: 'gauge', labels: ['gateway'], name, help }, () =>
      gateways.map(gateway => ({ value: read(gateway), labels: { gateway: gateway.name } }))
    )
  gauge('waiting', 'Blocks that wait until a gateway may be asked for them.', ({ waiting }) => waiting)
  gauge('rests_seconds', 'Time for which a gateway that failed is left alone.', ({ rests }) => rests / 1000)
}

/** The gateways as this plugin makes them. */
export const RetrievalOfNode: Token<Retrieval> = token<Retrieval>('retrieval')
