import test from 'ava'
import { testHost } from '../../../host/testing.ts'

test('at level 0.42 of the RPC log/level tells levels, and default means the present one', async t => {
  const host = await testHost({ configuration: { rpc: { level: '0.42' } } })
  t.teardown(() => host.stop())
  const level = (...args: string[]) => host.call('log/level', { args })
  t.deepEqual(await level('*', 'error'), { Message: "Changed log level of '*' to 'error'\n" })
  t.deepEqual(await level(), { Levels: { '': 'error' } })
  t.deepEqual(await level('pins', 'DEBUG'), { Message: "Changed log level of 'pins' to 'DEBUG'\n" })
  t.deepEqual(await level('pins'), { Levels: { pins: 'debug' } })
  t.like((await level('all')) as object, { Levels: { '(default)': 'error', pins: 'debug', mfs: 'error' } })
  t.deepEqual(await level('pins', 'default'), { Message: "Changed log level of 'pins' to 'error'\n" })
  t.deepEqual(await level('pins'), { Levels: { pins: 'error' } })
  await t.throwsAsync(level('no-such-thing'), { message: 'error: No such logger' })
  await t.notThrowsAsync(level('no-such-thing', 'debug'))
  await t.throwsAsync(level('pins', 'none'), { message: 'unrecognized level: "none"' })
})

test('log/tail tells what is at least as important as asked', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  await host.call('log/level', { args: ['all', 'debug'] })
  const bytes = (await host.call('log/tail', { options: { logLevel: 'warn' } })) as AsyncIterable<Uint8Array>
  const lines = bytes[Symbol.asyncIterator]()
  const log = host.logs.get('pins')
  log.info('left out')
  log.warn('told')
  const { value } = await lines.next()
  t.like(JSON.parse(Buffer.from(value as Uint8Array).toString()), { msg: 'told' })
  await lines.return?.()
  await t.throwsAsync(async () => host.call('log/tail', { options: { logLevel: 'x' } }), {
    message: 'setting log level x: unrecognized level: "x"'
  })
})

test('diag/healthy answers, and the status newer switches off what Kubo 0.28 does not have', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  t.is(await host.call('diag/healthy'), 'ok')
  const without = await testHost({ configuration: { plugins: { newer: 'off' } } })
  t.teardown(() => without.stop())
  await t.throwsAsync(without.call('diag/healthy'), { code: 'E_NO_COMMAND', message: /plugins: \{ newer: off \}/ })
  await t.throwsAsync(without.call('key/ls'), { code: 'E_NO_COMMAND' })
  await t.notThrowsAsync(without.call('key/list'))
})
