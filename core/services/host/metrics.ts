import { type Token, token } from '../../token.ts'

/** The name and the subject of a metric. */
export interface MetricSpec {
  /** The measure and its unit, in small letters and underscores: `fetched_blocks_total`, `queue_seconds`. */
  readonly name: string
  /** One sentence for a person. */
  readonly help: string
  /** Names of labels. Every use gives each of them a value; what users make up has no place in a label. */
  readonly labels?: readonly string[]
  /** The name stands as it is, for what other programs know under it. Else it gets `holdfast_<plugin>_` before it. */
  readonly whole?: boolean
}

/** The values of a metric's labels, by name. */
export type Labels = Readonly<Record<string, string>>

/** Only goes up. */
export interface Counter {
  inc(by?: number, labels?: Labels): void
}

/** Goes up and down. */
export interface Gauge {
  set(value: number, labels?: Labels): void
  /** `by` may be negative. */
  inc(by?: number, labels?: Labels): void
}

/** Counts values by the smallest bound that each is below. */
export interface Histogram {
  observe(value: number, labels?: Labels): void
}

/** A value that was read, for one set of labels. */
export interface Sample {
  readonly value: number
  readonly labels?: Labels
}

/**
 * The metrics of a plugin. Every plugin has this service without naming it in `requires`; each host has its own numbers. A use costs a
 * look-up and an addition; nothing is formatted until somebody reads `/debug/metrics/prometheus`.
 *
 * The same spec again gives the same metric. A metric with more than 1,000 sets of labels counts further ones under `other`.
 *
 * @throws E_METRIC_NAME for a name or label that Prometheus does not take; E_METRIC_TWICE for a name that another plugin has
 */
export interface Metrics {
  /** A number that only goes up: what was done, in a unit that the name ends in (`_total`, `_bytes_total`). */
  counter(spec: MetricSpec): Counter
  /** A number as it is now: what is held, how many wait. */
  gauge(spec: MetricSpec): Gauge
  /**
   * Values by size, such as how long calls took in seconds.
   *
   * @param spec - `buckets` are upper bounds, rising; default 1 ms to 1 min, for seconds
   */
  histogram(spec: MetricSpec & { readonly buckets?: readonly number[] }): Histogram
  /** A metric whose values are read whenever somebody asks. When `read` fails, it is left out and the log says why. */
  observed(spec: MetricSpec & { readonly type: 'counter' | 'gauge' }, read: () => Samples | Promise<Samples>): void
}
export const Metrics: Token<Metrics> = token<Metrics>('metrics')

/** The reading of a metric: its value, or one for each set of labels. */
export type Samples = number | Iterable<Sample>

/** All metrics of the host, for those that show them. */
export interface MetricsReport {
  /** Prometheus' text format, version 0.0.4. */
  text(): Promise<string>
}
export const MetricsReport: Token<MetricsReport> = token<MetricsReport>('metrics-report')
