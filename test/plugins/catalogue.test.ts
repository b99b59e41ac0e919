import test from 'ava'
import semver from 'semver'
import { API_VERSION, tokenName } from '../../core/index.ts'
import { catalogue } from '../../plugins/catalogue.ts'

for (const entry of catalogue) {
  test(`what the host knows of '${entry.name}' before it imports it is what the plugin says`, async t => {
    const { default: plugin } = await entry.load()
    t.is(plugin.name, entry.name)
    t.is(plugin.status, entry.status)
    t.is(plugin.about, entry.about)
    t.true(semver.satisfies(API_VERSION, plugin.api))
    t.deepEqual(plugin.provides.map(({ token }) => tokenName(token)).sort(), [...entry.services].sort())
    t.deepEqual(plugin.commands.map(({ path }) => path).sort(), [...entry.paths].sort())
  })
}

test('no two built-ins have the same name', t => {
  const names = catalogue.map(({ name }) => name)
  t.deepEqual([...new Set(names)], names)
})

test('no two built-ins declare one command, unless one of them only says that it is gone and the other is off by default', t => {
  const all = catalogue.filter(({ status }) => status !== 'removed')
  const paths = all.flatMap(entry => entry.paths)
  t.deepEqual(
    paths.filter((path, i) => paths.indexOf(path) !== i),
    []
  )
  const gone = catalogue.filter(({ status }) => status === 'removed').flatMap(entry => entry.paths)
  for (const { paths, offByDefault } of all) if (!offByDefault) for (const path of paths) t.false(gone.includes(path), path)
})
