/** Services that functions make, and services that a plugin keeps to itself. */
import test from 'ava'
import { z } from 'zod'
import {
  command,
  Log,
  type Logger,
  Metrics,
  MetricsReport,
  optional,
  type Plugin,
  plugin,
  ready,
  type Startable,
  service,
  settings,
  token,
  value
} from '../../core/index.ts'
import { named } from '../helpers/plugin.ts'
import { answer, bare, failure, running, unmade } from './parts.ts'

interface Greetings extends Startable {
  greet(name: string): string
}
const Greetings = token<Greetings>('test-greetings')
const Words = token<readonly string[]>('test-words')
const Absent = token<object>('test-absent')

const schema = z.strictObject({ word: z.string().default('hello') })

const greet = command.read('greet', {
  help: '',
  needs: { greetings: Greetings },
  reply: value(z.object({ Text: z.string() })),
  run: ({ greetings }) => ({ Text: greetings.greet('you') })
})

test('a function makes a service of settings, logger, metrics and other services', async t => {
  const journal: string[] = []
  const greeter = named('greeter', {
    settings: schema,
    provides: [
      service(Greetings, {
        needs: { settings: settings<typeof schema>(), log: Log, metrics: Metrics, words: Words, absent: optional(Absent) },
        make({ settings, log, metrics, words, absent }) {
          const count = metrics.counter({ name: 'greetings_total', help: 'Greetings.' })
          log.debug('made')
          return {
            greet(name) {
              count.inc()
              return `${[settings.word, ...words].join(' ')}, ${name}${absent === undefined ? '' : '!'}`
            },
            start: () => void journal.push('start'),
            stop: () => void journal.push('stop')
          }
        }
      })
    ],
    commands: [greet]
  })
  t.deepEqual(greeter.requires, [Words, optional(Absent)])
  const host = await bare({
    plugins: [greeter, named('words', { provides: [ready(Words, ['dear'])] })],
    configuration: { plugins: { greeter: { word: 'good day' } } }
  })
  await host.start()
  t.deepEqual(await host.call('greet'), { Text: 'good day dear, you' })
  t.regex(await host.service(MetricsReport)!.text(), /^holdfast_greeter_greetings_total 1$/m)
  await host.stop()
  t.deepEqual(journal, ['start', 'stop'])
})

test('services give memory back when their host is told to, each whatever another does', async t => {
  const journal: string[] = []
  const [Weary, Broken] = [token<Startable>('test-memory-weary'), token<Startable>('test-memory-broken')]
  const broken = service(Broken, {
    make: (): Startable => ({
      releaseMemory() {
        throw new Error('no release')
      }
    })
  })
  const weary = service(Weary, {
    needs: { broken: Broken },
    make: (): Startable => ({ releaseMemory: () => void journal.push('released') })
  })
  const host = await running(t, { plugins: [named('weary', { provides: [weary] }), named('broken', { provides: [broken] })] })
  host.releaseMemory()
  t.deepEqual(journal, ['released'])
})

test('internal services start behind those they are made of, and stop before them', async t => {
  const journal: string[] = []
  const [Below, Middle, Top] = ['below', 'middle', 'top'].map(name => token<Startable>(`test-life-${name}`)) as [
    typeof Absent,
    typeof Absent,
    typeof Absent
  ]
  const living = (name: string): Startable => ({ start: () => void journal.push(`+${name}`), stop: () => void journal.push(`-${name}`) })
  const owner = named('owner', {
    provides: [service(Middle, { needs: { below: Below }, make: () => living('middle') })],
    internal: [service(Top, { needs: { middle: Middle }, make: () => living('top') }), service(Below, { make: () => living('below') })]
  })
  const host = await bare({ plugins: [owner] })
  await host.start()
  t.is(host.service(Below), undefined)
  await host.stop()
  t.deepEqual(journal, ['+below', '+middle', '+top', '-top', '-middle', '-below'])
})

test('a class serves as it is where it needs nothing, and is refused at once where its constructor takes something', async t => {
  class Plain implements Greetings {
    greet(name: string) {
      return `plain ${name}`
    }
  }
  class Needy extends Plain {
    constructor(readonly log: Logger) {
      super()
    }
  }
  const host = await bare({ plugins: [named('classes', { internal: [service(Greetings, Plain)], commands: [greet] })] })
  await host.start()
  t.deepEqual(await host.call('greet'), { Text: 'plain you' })
  await host.stop()
  t.throws(() => service(Greetings, Needy as unknown as typeof Plain), {
    instanceOf: TypeError,
    message: /^service 'test-greetings': the constructor of Needy takes parameters: write service\(Token, \{ needs, make/
  })
})

test('makers that need each other in a circle are refused before anything is made, and the error names the chain', async t => {
  const [A, B] = [token<object>('test-circle-a'), token<object>('test-circle-b')]
  const circle = named('circle', {
    internal: [service(A, { needs: { b: B }, make: ({ b }) => ({ b }) }), service(B, { needs: { a: A }, make: ({ a }) => ({ a }) })]
  })
  await t.throwsAsync(bare({ plugins: [circle], configuration: { onFailure: 'continue' } }), {
    message:
      "services of plugin 'circle' need each other in a circle: test-circle-a → test-circle-b → test-circle-a: have one of them get what it needs of the other later"
  })
})

test('a circle of what somebody else makes is none', async t => {
  const [A, B] = [token<object>('test-circle-a'), token<object>('test-circle-b')]
  const circle = named('circle', {
    provides: [service(A, { needs: { b: B }, make: ({ b }) => ({ b }) }), service(B, { needs: { a: A }, make: ({ a }) => ({ a }) })]
  })
  const other = named('other', { provides: [service(A, { make: () => ({}) })] })
  const host = await running(t, { plugins: [circle, other], configuration: { services: { 'test-circle-a': 'other' } } })
  t.truthy(host.service(B))
})

test('a need of a maker is a need of its plugin', async t => {
  const user = plugin({
    name: 'user',
    api: '^1',
    about: '',
    provides: [service(Greetings, { needs: { absent: Absent }, make: () => ({ greet: name => name }) })]
  })
  t.is(await failure(t, { plugins: [user] }), "the service 'test-absent', which 'user' needs, is provided by nobody")
})

test('a fake keeps what it stands in for from being made', async t => {
  const real = named('real', {
    provides: [unmade(Greetings, 'made')],
    commands: [greet, answer('other', 'x')]
  })
  const host = await running(t, { plugins: [real], services: [ready(Greetings, { greet: () => 'fake' })] })
  t.deepEqual(await host.call('greet'), { Text: 'fake' })
})

test('a service that is only there with another is absent without it, and so are those that are only there with it', async t => {
  const outer = token<string>('test-outer')
  const parts = named('parts', {
    provides: [
      service(Greetings, { needs: { words: Words }, onlyWith: [Words], make: ({ words }) => ({ greet: name => `${words[0]} ${name}` }) }),
      service(outer, { needs: { greetings: Greetings }, onlyWith: [Greetings], make: () => 'there' })
    ],
    commands: [
      command.read('there', {
        help: 'Tells what is there.',
        needs: { greetings: optional(Greetings), outer: optional(outer) },
        reply: value(z.object({ Greetings: z.boolean(), Outer: z.boolean() })),
        run: services => ({ Greetings: services.greetings !== undefined, Outer: services.outer !== undefined })
      })
    ]
  })
  const there = async (plugins: readonly Plugin[]) => {
    const host = await bare({ plugins })
    await host.start()
    t.teardown(() => host.stop())
    return host.call('there')
  }
  t.deepEqual(await there([parts]), { Greetings: false, Outer: false })
  const words = named('words', { provides: [ready(Words, ['hello'])] })
  t.deepEqual(await there([parts, words]), { Greetings: true, Outer: true })
})

test('a plugin that talks to others is off on a host that is offline, which says why', async t => {
  const online = named('talker', { online: true, provides: [ready(Words, ['hello'])] })
  const host = await bare({ plugins: [online], offline: 'by request' })
  t.like(host.plugins()[0], { name: 'talker', state: 'off', reason: 'it talks to peers, and this node runs offline: by request' })
  t.is((await bare({ plugins: [online] })).plugins()[0]?.state, 'loaded')
})
