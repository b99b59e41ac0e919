/** What is decided before anything starts: which plugin provides what, and whose command answers. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { command, nothing, service, token } from '../../../core/index.ts'
import type { HostConfiguration } from '../../../host/configuration.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { named } from '../../helpers/plugin.ts'
import { answer, bare, failure, running } from '../parts.ts'

const A = token<object>('test-a')
const B = token<object>('test-b')
class Thing {}

test('two plugins with one command are an error that names both and the setting that decides, which then does', async t => {
  const plugins = [named('one', { commands: [answer('say/it', 'one')] }), named('two', { commands: [answer('say/it', 'two')] })]
  t.is(
    await failure(t, { plugins }),
    `the plugins 'one' and 'two' both declare the command 'say/it': say which one with "commands": { "say/it": { "from": "one" } }`
  )
  const host = await running(t, { plugins, configuration: { commands: { 'say/it': { from: 'two' } } } })
  t.deepEqual(await host.call('say/it'), { Text: 'two' })
})

test('two providers of one service are an error that names both and the setting that decides, which then does', async t => {
  class Other {}
  const plugins = [named('one', { provides: [service(A, Thing)] }), named('two', { provides: [service(A, Other)] })]
  t.is(
    await failure(t, { plugins }),
    `the plugins 'one' and 'two' both provide the service 'test-a': say which one with "services": { "test-a": "one" }, or switch one off under 'plugins'`
  )
  const host = await running(t, { plugins, configuration: { services: { 'test-a': 'two' } } })
  t.true(host.service(A) instanceof Other)
})

test('a winner that is not among the candidates is an error', async t => {
  const plugins = [named('one', { provides: [service(A, Thing)], commands: [answer('say/it', 'one')] })]
  t.is(
    await failure(t, { plugins, configuration: { services: { 'test-a': 'nope' } } }),
    "the configuration: service 'test-a' cannot come from 'nope': no plugin of that name is on; 'one' provides it"
  )
  t.is(
    await failure(t, { plugins, configuration: { commands: { 'say/it': { from: 'nope' } } } }),
    "the configuration: command 'say/it' cannot come from 'nope': no plugin of that name is on; 'one' declares it"
  )
  const told = (services: Record<string, string>, all = plugins) => failure(t, { plugins: all, configuration: { services } })
  const other = named('other', { provides: [service(B, Thing)] })
  t.is(
    await told({ 'test-a': 'other' }, [...plugins, other]),
    "the configuration: service 'test-a' cannot come from 'other', which does not provide it ('one' does)"
  )
  t.is(
    await told({ 'test-a': 'oter' }, [...plugins, other]),
    "the configuration: service 'test-a' cannot come from 'oter': no plugin of that name is on — did you mean 'other'?; 'one' provides it"
  )
  t.is(
    await told({ 'test-aa': 'one' }),
    "the configuration: services.test-aa: no plugin that is on provides 'test-aa' — did you mean 'test-a'?"
  )
  t.is(
    await failure(t, {
      plugins,
      catalogue: [{ name: 'pins', status: 'regular', about: '', paths: [], services: [], load: async () => ({ default: named('pins') }) }],
      configuration: { plugins: { pins: 'off' }, services: { 'test-a': 'pins' } }
    }),
    "the configuration: service 'test-a' cannot come from 'pins': it is off (plugins: { pins: off } in the configuration); 'one' provides it"
  )
})

test('a plugin that onFailure names and that there is not is an error', async t => {
  const plugins = [named('throws')]
  t.is(
    await failure(t, { plugins, configuration: { onFailure: { thorws: 'continue' } } }),
    "the configuration: onFailure.thorws: there is no plugin 'thorws' — did you mean 'throws'?; 'default' is for all that are not named"
  )
})

test('several that could provide or declare what another cannot are all named', async t => {
  const plugins = ['one', 'two'].map(name => named(name, { provides: [service(A, Thing)], commands: [answer('say/it', name)] }))
  t.regex(await failure(t, { plugins, configuration: { services: { 'test-a': 'nope' } } }), /; 'one' and 'two' provide it$/)
  const configuration = { services: { 'test-a': 'one' }, commands: { 'say/it': { from: 'nope' } } }
  t.regex(await failure(t, { plugins, configuration }), /; 'one' and 'two' declare it$/)
})

test('what the configuration switched off is missed, and not what nobody switched on', async t => {
  const entry = (name: string, offByDefault: boolean) => ({
    name,
    status: 'regular' as const,
    about: '',
    offByDefault,
    paths: [],
    services: ['test-a'],
    load: async () => ({ default: named(name) })
  })
  t.regex(
    await failure(t, {
      plugins: [named('user', { requires: [A] })],
      catalogue: [entry('in-memory', true), entry('on-disk', false)],
      configuration: { plugins: { 'on-disk': 'off' } }
    }),
    /: the plugin 'on-disk' would, but it is off \(plugins: \{ on-disk: off \} in the configuration\)$/
  )
})

test('a missing provider is an error that names who needs it and who would provide it', async t => {
  const user = named('user', { requires: [A] })
  t.is(await failure(t, { plugins: [user] }), "the service 'test-a', which 'user' needs, is provided by nobody")
  const catalogue = [
    {
      name: 'maker',
      status: 'regular' as const,
      about: '',
      paths: [],
      services: ['test-a'],
      load: async () => ({ default: named('maker') })
    }
  ]
  t.is(
    await failure(t, { plugins: [user], catalogue, configuration: { plugins: { maker: 'off' } } }),
    "the service 'test-a', which 'user' needs, is provided by nobody: the plugin 'maker' would, but it is off (plugins: { maker: off } in the configuration)"
  )
  const needy = command.read('need/it', { help: '', needs: { a: A }, reply: nothing(), run: () => {} })
  t.is(
    await failure(t, { plugins: [named('user', { commands: [needy] })] }),
    "the service 'test-a', which 'need/it (user)' needs, is provided by nobody"
  )
})

test('a circle of plugins is an error that names the chain', async t => {
  const plugins = [
    named('one', { provides: [service(A, Thing)], requires: [B] }),
    named('two', { provides: [service(B, Thing)], requires: [A] })
  ]
  t.is(
    await failure(t, { plugins }),
    'these plugins need each other in a circle: one → two → one: break it by switching one off, or make one need optional'
  )
})

test('a plugin that failed and is named for a service keeps the host from opening, unless it goes on without the users as well', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'bomb.mjs'), "/* api: '^1' */ throw new Error('too soon')")
  const plugins = [named('user', { requires: [A] }), named('store', { provides: [service(A, Thing)] })]
  const open = (onFailure: HostConfiguration['onFailure']) =>
    bare({
      base: folder,
      plugins,
      configurationFile: 'x.yaml',
      logLevel: 'silent',
      configuration: { plugins: { './bomb.mjs': 'on' }, services: { 'test-a': ['./bomb.mjs', 'store'] }, onFailure }
    })
  await t.throwsAsync(open({ './bomb.mjs': 'continue' }), {
    message:
      /^the service 'test-a', which 'user' needs, is provided by nobody: services\.test-a in x\.yaml names '\.\/bomb\.mjs', which failed: plugin '\.\/bomb\.mjs' \(.*\) failed while it was imported: too soon/
  })
  const host = await open({ './bomb.mjs': 'continue', user: 'continue' })
  await host.start()
  t.is(host.plugins().find(({ name }) => name === 'user')!.state, 'failed')
  await host.stop()
})
