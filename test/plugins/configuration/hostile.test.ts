import test from 'ava'
import { upload } from '../../../host/testing.ts'
import { configuredHost } from './host.ts'

test('keys and values that mean something to the engine are keys and values like others', async t => {
  const { call, get, set, onDisk } = await configuredHost(t)
  for (const key of ['__proto__', '__proto__.polluted', 'constructor.prototype.polluted', 'Datastore.__proto__.polluted']) {
    await set(key, { a: 1 })
    t.deepEqual(await get(key), { a: 1 }, key)
  }
  await t.throwsAsync(get('toString'), { code: 'E_CONFIG_GET' })
  await t.throwsAsync(get('Datastore.hasOwnProperty'), { code: 'E_CONFIG_GET' })
  t.is(({} as Record<string, unknown>)['polluted'], undefined)
  t.true(Object.hasOwn(await onDisk(), '__proto__'))
  await call('config/show')
})

test('what is nested too deep is refused, whether as a value or as a key, and what is as deep as may be works', async t => {
  const { call, set, get, text, host } = await configuredHost(t)
  const before = await text()
  const deep = (n: number) => '['.repeat(n) + ']'.repeat(n)
  await t.throwsAsync(call('config', ['Mine', deep(100_000)], { json: true }), { code: 'E_CONFIG_JSON' })
  await t.throwsAsync(call('config', [`${'a.'.repeat(100_000)}a`, 'x']), { code: 'E_CONFIG_SET' })
  await t.throwsAsync(host.call('config/replace', { body: upload(`{"Plugins":{"Plugins":{"x":{"Config":${deep(5000)}}}}}`) }), {
    code: 'E_CONFIG_DECODE'
  })
  t.is(await text(), before)
  await call('config', [`${'a.'.repeat(127)}a`, deep(128)], { json: true })
  await call('config/show')
  await set('Mine', 1)
  t.is(await get('Mine'), 1)
})

test('a configuration does not grow beyond its limit', async t => {
  const { call, set, text, host } = await configuredHost(t, { maxBytes: 100_000 })
  await set('Mine.One', 'x'.repeat(60_000))
  const before = await text()
  await t.throwsAsync(set('Mine.Two', 'x'.repeat(60_000)), { code: 'E_CONFIG_LARGE' })
  await t.throwsAsync(host.call('config/replace', { body: upload(' '.repeat(100_001)) }), { code: 'E_CONFIG_LARGE' })
  t.is(await text(), before)
  await call('config', ['Mine.One', 'short'])
})
