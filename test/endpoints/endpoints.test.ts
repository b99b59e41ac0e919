import { readFile } from 'node:fs/promises'
import test from 'ava'
import { command, nothing, plugin } from '../../core/index.ts'
import { endpointsPage } from './page.ts'
import { shippedPlugins } from './plugins.ts'
import { endpoints, lacks, specifiedEndpoints } from './table.ts'

test('every endpoint is served by a plugin and called by a test', async t => {
  const all = [...(await endpoints(await shippedPlugins())).values()]
  t.deepEqual(all.flatMap(lacks), [])
  t.true(all.length > 155)
})

test('the page of endpoints is as it is generated', async t => {
  const page = await readFile(new URL('../../../docs/endpoints.md', import.meta.url), 'utf8')
  t.is(page, await endpointsPage(await shippedPlugins()), 'npm run docs writes it anew')
})

test('the status of an endpoint is that of the part of the specification which names it', async t => {
  const [all, specified] = [await endpoints(await shippedPlugins()), await specifiedEndpoints()]
  for (const part of ['regular', 'experimental', 'deprecated', 'removed'] as const)
    for (const path of specified[part]) {
      const byDefault = all.get(path)!.plugins.filter(({ offByDefault }) => !offByDefault)
      t.deepEqual(
        byDefault.map(({ status }) => status),
        [part],
        path
      )
    }
})

test('an endpoint without a plugin, and one without a test, are named', async t => {
  const untested = ['never', 'called'].join('/')
  const odd = plugin({
    name: 'odd',
    api: '^1',
    about: 'Is not called.',
    commands: [command.read(untested, { help: 'Do nothing.', reply: nothing(), run() {} })]
  })
  const all = await endpoints([odd])
  t.deepEqual(lacks(all.get(untested)!), [`${untested}: no test calls it`])
  t.deepEqual(lacks(all.get('pin/add')!), ['pin/add: no plugin has it'])
})
