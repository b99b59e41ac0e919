/** Services that plugins wrap: order, what is refused, and what becomes of a chain that breaks. */
import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { command, inner, optional, type Plugin, ready, type Startable, service, token, value } from '../../../core/index.ts'
import { named } from '../../helpers/plugin.ts'
import { bare, failure } from '../parts.ts'

interface Words extends Startable {
  say(): string
}
const Words = token<Words>('test-words')

const say = command.read('say', {
  help: '',
  needs: { words: Words },
  reply: value(z.object({ Text: z.string() })),
  run: ({ words }) => ({ Text: words.say() })
})

const store = (name: string, journal: string[] = []): Plugin =>
  named(name, {
    provides: [
      service(Words, {
        make: () => ({
          say: () => name,
          start: () => void journal.push(`+${name}`),
          stop: () => void journal.push(`-${name}`)
        })
      })
    ]
  })

const wrapper = (name: string, journal: string[] = []): Plugin =>
  named(name, {
    provides: [
      service(Words, {
        needs: { inside: inner(Words) },
        make: ({ inside }) => ({
          say: () => `${name}(${inside.say()})`,
          start: () => void journal.push(`+${name} around ${inside.say()}`),
          stop: () => void journal.push(`-${name}`)
        })
      })
    ]
  })

const user = named('user', { commands: [say] })

test('the outermost is what everybody gets, and each has the one behind it inside', async t => {
  const journal: string[] = []
  const plugins = [user, wrapper('outer', journal), store('store', journal), wrapper('middle', journal), store('other', journal)]
  const host = await bare({ plugins, configuration: { services: { 'test-words': ['outer', 'middle', 'store'] } } })
  await host.start()
  t.deepEqual(await host.call('say'), { Text: 'outer(middle(store))' })
  const states = Object.fromEntries(host.plugins().map(({ name, services }) => [name, services]))
  t.deepEqual(states, { user: [], outer: ['test-words'], store: ['test-words'], middle: ['test-words'], other: [] })
  await host.stop()
  t.deepEqual(journal, ['+store', '+middle around store', '+outer around middle(store)', '-outer', '-middle', '-store'])
})

const refused = (t: ExecutionContext, plugins: Plugin[], chain: string | string[] | undefined) =>
  failure(t, { plugins, configuration: chain === undefined ? {} : { services: { 'test-words': chain } } })

test('a list that cannot be is refused before anything starts, and the error says what to write', async t => {
  const [a, b] = [wrapper('a'), wrapper('b')]
  const s = store('s')
  t.is(
    await refused(t, [a, s], undefined),
    `the plugins 'a' and 's' both provide the service 'test-words': say which one with "services": { "test-words": ["a", "s"] }, or switch one off under 'plugins'`
  )
  t.is(
    await refused(t, [a, s], 'a'),
    `the plugin 'a' wraps the service 'test-words', and nothing stands inside of it: write "services": { "test-words": ["a", "s"] }`
  )
  t.is(
    await refused(t, [a], undefined),
    `the plugin 'a' wraps the service 'test-words', and nothing stands inside of it: write "services": { "test-words": ["a", "PLUGIN"] }`
  )
  t.is(
    await refused(t, [a, s], ['s', 'a']),
    "the configuration: services.test-words: the plugin 's' wraps no 'test-words', so 'a' cannot stand inside of it: it can only be the last"
  )
  t.is(await refused(t, [a, b, s], ['a', 'b', 'a', 's']), "the configuration: services.test-words names 'a' twice")
  t.regex(
    await refused(t, [a, s], ['a', 'nobody']),
    /service 'test-words' cannot come from 'nobody': no plugin of that name is on; 'a' and 's' provide it/
  )
})

test('a wrapper that needs a user of what it wraps is a circle', async t => {
  const Sums = token<object>('test-sums')
  const sums = named('sums', { provides: [service(Sums, { needs: { words: Words }, make: () => ({}) })] })
  const around = named('around', {
    provides: [service(Words, { needs: { inside: inner(Words), sums: Sums }, make: ({ inside }) => inside })]
  })
  t.regex(
    await refused(t, [around, store('store'), sums], ['around', 'store']),
    /these plugins need each other in a circle: around → sums → around/
  )
})

test('where one of a chain fails, the service is missing: what was to guard is not left out', async t => {
  const broken = named('broken', {
    provides: [
      service(Words, {
        needs: { inside: inner(Words) },
        make: () => {
          throw new Error('no key')
        }
      })
    ]
  })
  for (const chain of [
    ['broken', 'store'],
    ['outer', 'broken', 'store']
  ]) {
    const host = await bare({
      plugins: [user, broken, store('store'), wrapper('outer')],
      configuration: { services: { 'test-words': chain }, onFailure: 'continue' }
    })
    await host.start()
    t.is(host.service(Words), undefined)
    await t.throwsAsync(host.call('say'), {
      message: /it needs the service 'test-words', which nobody provides: the plugin '\w+' failed: .*no key/
    })
    const outer = host.plugins().find(({ name }) => name === 'outer')!.reason
    if (chain.length > 2)
      t.is(outer, "the service 'test-words', which 'outer' wraps, is provided by nobody: the plugin 'broken' failed: no key")
    await host.stop()
  }
})

test('a wrapper may do without anything inside, and what is given replaces the whole chain', async t => {
  const maybe = named('maybe', {
    provides: [
      service(Words, {
        needs: { inside: optional(inner(Words)) },
        make: ({ inside }) => ({ say: () => `maybe ${inside?.say() ?? 'nothing'}` })
      })
    ]
  })
  const alone = await bare({ plugins: [user, maybe] })
  await alone.start()
  t.deepEqual(await alone.call('say'), { Text: 'maybe nothing' })
  await alone.stop()
  const given = await bare({
    plugins: [user, wrapper('outer'), store('store')],
    services: [ready(Words, { say: () => 'given' })],
    configuration: { services: { 'test-words': ['outer', 'store'] } }
  })
  await given.start()
  t.deepEqual(await given.call('say'), { Text: 'given' })
  await given.stop()
})
