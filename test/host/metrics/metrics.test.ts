import test, { type ExecutionContext } from 'ava'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { command, Metrics, MetricsReport, nothing, p, plugin, service, token } from '../../../core/index.ts'
import { HostMetrics } from '../../../host/metrics/metrics.ts'
import { testHost } from '../../../host/testing.ts'
import { parsePrometheus } from '../../helpers/prometheus.ts'

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

function metrics(t: ExecutionContext) {
  const errors: string[] = []
  const all = new HostMetrics({ ...quiet, error: (_: unknown, message?: string) => void errors.push(message!) } as never)
  const plain = async () => parsePrometheus(await all.text())
  t.teardown(() => {})
  return { all, plain, errors }
}

test('counters, gauges and histograms bear the name of their plugin', async t => {
  const { all, plain } = metrics(t)
  const mine = all.of('acme-s3')
  const fetched = mine.counter({ name: 'fetched_total', help: 'Blocks "fetched"\\.', labels: ['bucket'] })
  fetched.inc(1, { bucket: 'a' })
  fetched.inc(2.5, { bucket: 'a' })
  fetched.inc(1, { bucket: 'odd "\\\n' })
  const queue = mine.gauge({ name: 'queue', help: 'Waiting.' })
  queue.set(5)
  queue.inc(-2)
  const seconds = mine.histogram({ name: 'seconds', help: 'Time.', buckets: [1, 10] })
  for (const value of [0.5, 1, 5, 100]) seconds.observe(value)
  mine.counter({ name: 'ipfs_bitswap_sent_total', whole: true, help: 'As elsewhere.' }).inc()
  const { types, value } = await plain()
  t.is(value('holdfast_acme_s3_fetched_total', { bucket: 'a' }), 3.5)
  t.is(value('holdfast_acme_s3_fetched_total', { bucket: 'odd "\\\n' }), 1)
  t.is(value('holdfast_acme_s3_queue'), 3)
  t.is(types.get('holdfast_acme_s3_seconds'), 'histogram')
  for (const [le, count] of [
    ['1', 2],
    ['10', 3],
    ['+Inf', 4]
  ] as const)
    t.is(value('holdfast_acme_s3_seconds_bucket', { le }), count)
  t.is(value('holdfast_acme_s3_seconds_sum'), 106.5)
  t.is(value('ipfs_bitswap_sent_total'), 1)
})

test('values can be read when somebody asks; one that fails is left out and logged', async t => {
  const { all, plain, errors } = metrics(t)
  let asked = 0
  all.of('a').observed({ name: 'size', help: '.', type: 'gauge' }, async () => ++asked)
  all.of('a').observed({ name: 'parts', help: '.', type: 'gauge', labels: ['of'] }, () => [{ value: 7, labels: { of: 'x' } }])
  all.of('a').observed({ name: 'broken', help: '.', type: 'gauge' }, () => {
    throw new Error('no disk')
  })
  t.is((await plain()).value('holdfast_a_size'), 1)
  const { value, types } = await plain()
  t.is(value('holdfast_a_size'), 2)
  t.is(value('holdfast_a_parts', { of: 'x' }), 7)
  t.false(types.has('holdfast_a_broken'))
  t.is(errors[0], 'the metric holdfast_a_broken cannot be read: no disk')
})

test('one metric belongs to one plugin, as one thing', t => {
  const { all } = metrics(t)
  const spec = { name: 'ipfs_x_total', whole: true, help: '.' }
  const first = all.of('a').counter(spec)
  t.is(all.of('a').counter(spec), first)
  const taken = t.throws(() => all.of('b').counter(spec), { code: 'E_METRIC_TWICE' } as never)
  t.is(taken?.message, "the plugin 'b' asks for the metric 'ipfs_x_total', which the plugin 'a' has")
  t.throws(() => all.of('a').gauge(spec), { code: 'E_METRIC_TWICE' } as never)
  for (const name of ['', 'Big', 'a-b', '1a', 'a b'])
    t.throws(() => all.of('a').counter({ name, whole: true, help: '.' }), { code: 'E_METRIC_NAME' } as never)
  t.throws(() => all.of('a').gauge({ name: 'b', help: '.', labels: ['le'] }), { code: 'E_METRIC_NAME' } as never)
  t.throws(() => first.inc(-1), { instanceOf: RangeError })
})

test('labels of any number take bounded memory', async t => {
  const { all, plain } = metrics(t)
  const counter = all.of('a').counter({ name: 'b_total', help: '.', labels: ['x'] })
  for (let i = 0; i < 5000; i++) counter.inc(1, { x: String(i) })
  const { lines, value } = await plain()
  t.is(lines.length, 1001)
  t.is(value('holdfast_a_b_total', { x: 'other' }), 4000)
})

interface Worker {
  work(): void
}
const Worker = token<Worker>('test-worker')

class Working implements Worker {
  readonly #done
  constructor(metrics: Metrics) {
    this.#done = metrics.counter({ name: 'done_total', help: 'Done.' })
  }
  work() {
    this.#done.inc()
  }
}

const work = command.read('work', {
  help: '',
  needs: { worker: Worker, metrics: Metrics },
  options: { fail: p.bool('') },
  reply: nothing(),
  run({ worker, metrics }, { options }) {
    worker.work()
    metrics.counter({ name: 'asked_total', help: 'Asked.' }).inc()
    if (options.fail) throw new Error('no')
  }
})
const busy = plugin({
  name: 'busy',
  api: '^1',
  about: '',
  provides: [service(Worker, { needs: { metrics: Metrics }, make: s => new Working(s.metrics) })],
  commands: [work]
})

test('each host has its own numbers, of its plugins and of its calls', async t => {
  const hosts = await Promise.all([1, 2].map(() => testHost({ plugins: [busy], builtIns: false })))
  t.teardown(() => Promise.all(hosts.map(host => host.stop())))
  const [one, two] = hosts
  await one!.call('work')
  await one!.call('work')
  await t.throwsAsync(one!.call('work', { options: { fail: true } }))
  await two!.call('work')
  for (const [host, times, errors] of [
    [one!, 3, 1],
    [two!, 1, 0]
  ] as const) {
    const { value, helps, types } = parsePrometheus(await host.service(MetricsReport)!.text())
    t.is(value('holdfast_busy_done_total'), times)
    t.is(value('holdfast_busy_asked_total'), times)
    t.is(value('holdfast_command_calls_total', { command: 'work' }), times)
    t.is(value('holdfast_command_errors_total', { command: 'work' }), errors)
    t.is(value('holdfast_command_seconds_count', { command: 'work' }), times)
    t.is(value('holdfast_calls_running'), 0)
    t.true(value('process_resident_memory_bytes')! > 1e6)
    t.deepEqual([...types.keys()], [...helps.keys()])
  }
})

test('the text is the one that prom-client writes of the same metrics', async t => {
  const { all } = metrics(t)
  const theirs = new Registry()
  const odd = 'odd "\\\n'
  const labels = ['x', 'y']
  for (const [name, help] of [
    ['a_total', odd],
    ['b_total', 'Plain.']
  ] as const) {
    const ours = all.of('p').counter({ name, help, labels, whole: true })
    const other = new Counter({ name, help, labelNames: labels, registers: [theirs] })
    for (const [by, x, y] of [
      [1, '', odd],
      [2.5, 'a,b', '{}'],
      [1e21, 'é', '1']
    ] as const) {
      ours.inc(by, { x, y })
      other.inc({ x, y }, by)
    }
  }
  for (const [name, value] of [
    ['c', -1.5e-7],
    ['d', Number.POSITIVE_INFINITY],
    ['e', Number.NEGATIVE_INFINITY]
  ] as const) {
    all.of('p').gauge({ name, help: '.', whole: true }).set(value)
    new Gauge({ name, help: '.', registers: [theirs] }).set(value)
  }
  const buckets = [0.1, 1, 10]
  const seconds = all.of('p').histogram({ name: 'f_seconds', help: '.', buckets, whole: true })
  const others = new Histogram({ name: 'f_seconds', help: '.', buckets, registers: [theirs] })
  for (const value of [0.1, 0.5, 100]) {
    seconds.observe(value)
    others.observe(value)
  }
  t.is(await all.text(), await theirs.metrics())
  all.of('p').gauge({ name: 'g', help: '.', whole: true }).set(Number.NaN)
  t.true((await all.text()).includes('\ng NaN\n'), 'as the format has it: prom-client writes Nan')
})
