import 'reflect-metadata'
import test from 'ava'
import semver from 'semver'
import { API_VERSION, tokenName } from '../../core/index.ts'
import { matches } from '../../host/toggles.ts'
import { catalogue } from '../../plugins/catalogue.ts'

for (const entry of catalogue) {
  test(`what the host knows of '${entry.name}' before it imports it is what the plugin says`, async t => {
    const { default: plugin } = await entry.load()
    t.is(plugin.name, entry.name)
    t.is(plugin.status, entry.status)
    t.is(plugin.about, entry.about)
    t.true(semver.satisfies(API_VERSION, plugin.api))
    t.deepEqual(plugin.provides.map(({ token }) => tokenName(token)).sort(), [...entry.services].sort())
    const declared = plugin.commands.map(({ path }) => path)
    for (const path of declared)
      t.true(
        entry.paths.some(pattern => matches(pattern, path)),
        `no pattern covers ${path}`
      )
    for (const pattern of entry.paths)
      t.true(
        declared.some(path => matches(pattern, path)),
        `no command matches ${pattern}`
      )
  })
}

test('no two built-ins have the same name', t => {
  const names = catalogue.map(({ name }) => name)
  t.deepEqual([...new Set(names)], names)
})
