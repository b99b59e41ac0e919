import {
  type Counter,
  type Gauge,
  type Histogram,
  type Logger,
  type MetricSpec,
  type Metrics,
  type MetricsReport,
  messageOf,
  type Samples
} from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import { Buckets, type Family, observedFamily, Reading } from './instruments.ts'
import { metricsText } from './text.ts'

interface Owned {
  readonly owner: string
  /** The name and labels asked for, to find the instrument again. */
  readonly key: string
  readonly family: Family
}

const NAME = /^[a-z][a-z0-9_]*$/

/** The metrics of one host: its own and those of its plugins. */
export class HostMetrics implements MetricsReport {
  readonly #log: Logger
  readonly #families = new Map<string, Owned>()
  readonly #sources: Array<() => Iterable<Family>> = []

  constructor(log: Logger) {
    this.#log = log
  }

  /** The instruments of one plugin. */
  of(plugin: string): Metrics {
    return new PluginMetrics(plugin, (spec, type, make) => this.#get(plugin, spec, type, make))
  }

  /** Families that are made whenever somebody asks. */
  from(source: () => Iterable<Family>): void {
    this.#sources.push(source)
  }

  async text(): Promise<string> {
    const families = [...[...this.#families.values()].map(({ family }) => family), ...this.#sources.flatMap(source => [...source()])]
    families.sort((a, b) => (a.name < b.name ? -1 : 1))
    return metricsText(await Promise.all(families.map(async family => ({ family, values: await this.#valuesOf(family) }))))
  }

  async #valuesOf(family: Family) {
    try {
      return await family.values()
    } catch (error) {
      this.#log.error({ err: error }, `the metric ${family.name} cannot be read: ${messageOf(error)}`)
      return []
    }
  }

  #get(owner: string, spec: MetricSpec, type: string, make: (spec: MetricSpec) => Family): Family {
    const name = spec.whole ? spec.name : `holdfast_${owner.replace(/[^a-z0-9]+/gi, '_').toLowerCase()}_${spec.name}`
    const wrong = [name, ...(spec.labels ?? [])].find(text => !NAME.test(text) || text === 'le')
    if (wrong !== undefined) throw hostErrors.E_METRIC_NAME(owner, wrong)
    const key = JSON.stringify([type, spec.labels])
    const known = this.#families.get(name)
    if (known === undefined) {
      const family = make({ ...spec, name })
      this.#families.set(name, { owner, key, family })
      return family
    }
    if (known.owner !== owner || known.key !== key || type === 'observed') throw hostErrors.E_METRIC_TWICE(owner, name, known.owner)
    return known.family
  }
}

type Get = (spec: MetricSpec, type: string, make: (spec: MetricSpec) => Family) => Family

class PluginMetrics implements Metrics {
  readonly plugin: string
  readonly #get: Get

  constructor(plugin: string, get: Get) {
    this.plugin = plugin
    this.#get = get
  }

  counter(spec: MetricSpec): Counter {
    return this.#get(spec, 'counter', of => new Reading('counter', of)) as Reading
  }

  gauge(spec: MetricSpec): Gauge {
    return this.#get(spec, 'gauge', of => new Reading('gauge', of)) as Reading
  }

  histogram(spec: MetricSpec & { readonly buckets?: readonly number[] }): Histogram {
    return this.#get(spec, 'histogram', of => new Buckets({ ...of, buckets: spec.buckets })) as Buckets
  }

  observed(spec: MetricSpec & { readonly type: 'counter' | 'gauge' }, read: () => Samples | Promise<Samples>): void {
    this.#get(spec, 'observed', of => observedFamily({ ...of, type: spec.type }, read))
  }
}
