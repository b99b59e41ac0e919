import type { Counter, Gauge, Histogram, Labels, MetricSpec, Sample } from '../../core/index.ts'
import { CALL_SECONDS } from '../calls/call-counts.ts'

/** A value as Prometheus' text has it: under the family's name, or one of its own (`…_bucket`). */
export interface Value {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** All values of one name. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  values(): readonly Value[] | Promise<readonly Value[]>
}

/** How many sets of labels one metric may have. */
const MOST_SETS = 1000

/** Something for each set of labels. */
class LabelSets<T> {
  readonly #names: readonly string[]
  readonly #make: () => T
  readonly #sets = new Map<string, { labels: Labels; of: T }>()

  constructor(names: readonly string[], make: () => T) {
    this.#names = names
    this.#make = make
    if (names.length === 0) this.at({})
  }

  at(given: Labels = {}): T {
    let values = this.#names.map(name => String(given[name] ?? ''))
    let found = this.#sets.get(values.join('\0'))
    if (found === undefined) {
      if (this.#sets.size >= MOST_SETS) values = values.map(() => 'other')
      found = this.#sets.get(values.join('\0'))
      if (found === undefined) {
        found = { labels: Object.fromEntries(this.#names.map((name, i) => [name, values[i]!])), of: this.#make() }
        this.#sets.set(values.join('\0'), found)
      }
    }
    return found.of
  }

  flatMap<U>(turn: (of: T, labels: Labels) => U | readonly U[]): U[] {
    return [...this.#sets.values()].flatMap(({ of, labels }) => turn(of, labels))
  }
}

/** A counter or a gauge. */
export class Reading implements Counter, Gauge, Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly #sets: LabelSets<{ value: number }>

  constructor(type: 'counter' | 'gauge', { name, help, labels = [] }: MetricSpec) {
    this.type = type
    this.name = name
    this.help = help
    this.#sets = new LabelSets(labels, () => ({ value: 0 }))
  }

  inc(by = 1, labels?: Labels): void {
    if (this.type === 'counter' && !(by >= 0)) throw new RangeError(`the counter ${this.name} cannot go up by ${by}`)
    this.#sets.at(labels).value += by
  }

  set(value: number, labels?: Labels): void {
    this.#sets.at(labels).value = value
  }

  values(): Value[] {
    return this.#sets.flatMap(({ value }, labels) => ({ labels, value }))
  }
}

/** Counts of values by the first bucket that holds them. */
export class Buckets implements Histogram, Family {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly #bounds: readonly number[]
  readonly #sets: LabelSets<{ sum: number; within: number[] }>

  constructor({ name, help, labels = [], buckets = CALL_SECONDS }: MetricSpec & { readonly buckets?: readonly number[] }) {
    this.name = name
    this.help = help
    this.#bounds = [...buckets]
    this.#sets = new LabelSets(labels, () => ({ sum: 0, within: this.#bounds.map(() => 0).concat(0) }))
  }

  observe(value: number, labels?: Labels): void {
    const set = this.#sets.at(labels)
    set.sum += value
    const at = this.#bounds.findIndex(limit => value <= limit)
    set.within[at < 0 ? this.#bounds.length : at]!++
  }

  values(): Value[] {
    return this.#sets.flatMap(({ sum, within }, labels) => histogramValues(this.name, this.#bounds, within, sum, labels))
  }
}

/** @param within - how many values each bucket holds that the one before does not; the last: beyond all */
export function histogramValues(
  name: string,
  bounds: readonly number[],
  within: readonly number[],
  sum: number,
  labels: Labels
): readonly Value[] {
  let count = 0
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((limit, i) => {
    count += within[i] ?? 0
    const le = limit === Number.POSITIVE_INFINITY ? '+Inf' : String(limit)
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
  })
  return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: count }]
}

/** A metric whose values somebody else knows. */
export function observedFamily(
  { name, help, type }: MetricSpec & { readonly type: 'counter' | 'gauge' },
  read: () => number | Iterable<Sample> | Promise<number | Iterable<Sample>>
): Family {
  return {
    name,
    help,
    type,
    async values() {
      const samples = await read()
      const list = typeof samples === 'number' ? [{ value: samples }] : [...samples]
      return list.map(({ value, labels = {} }: Sample) => ({ value, labels }))
    }
  }
}
