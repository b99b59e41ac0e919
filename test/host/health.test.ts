import test from 'ava'
import { Health, MetricsReport } from '../../core/index.ts'
import { testHost } from '../../host/testing.ts'
import { linesOf } from '../helpers/log.ts'
import { parsePrometheus } from '../helpers/prometheus.ts'
import { until } from '../helpers/until.ts'

const spec = { name: 'test-fault', about: 'the test cannot work' }

test('a fault is told by one error line when it comes and one when it goes, and by a metric between', async t => {
  const host = await testHost({ builtIns: false })
  const lines = linesOf(host, 'host')
  const health = host.service(Health)!
  const metric = async () => parsePrometheus(await host.service(MetricsReport)!.text()).value('holdfast_fault', { fault: spec.name })
  const fault = health.fault(spec)
  t.is(health.fault(spec), fault)
  t.is(await metric(), 0)
  fault.set(undefined)
  fault.set('first')
  const [{ since } = {}] = health.present()
  fault.set('second')
  t.like(health.present(), [{ ...spec, fatal: false, reason: 'second', since }])
  t.is(await metric(), 1)
  fault.set(undefined)
  fault.set(undefined)
  t.deepEqual(health.present(), [])
  t.is(await metric(), 0)
  fault.set('again')
  await until('three lines', () => lines.length >= 3)
  const told = lines.map(line => JSON.parse(line) as { level: number; fault: string; msg: string })
  t.deepEqual(
    told.map(({ level, fault: name, msg }) => [level, name, msg]),
    [
      [50, 'test-fault', 'the test cannot work: first'],
      [50, 'test-fault', 'over: the test cannot work'],
      [50, 'test-fault', 'the test cannot work: again']
    ]
  )
  await host.stop()
})

test('who asks whether a fault is there has it looked at', async t => {
  const host = await testHost({ builtIns: false })
  t.teardown(() => host.stop())
  let isFull = true
  const health = host.service(Health)!
  const fault = health.fault({ ...spec, refresh: () => fault.set(isFull ? 'full' : undefined) })
  t.is(health.present().length, 1)
  isFull = false
  t.deepEqual(health.present(), [])
})
