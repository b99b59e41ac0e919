import test from 'ava'
import { create } from 'kubo-rpc-client'
import { gte } from 'semver'
import { testHost } from '../../../host/testing.ts'
import { openNode } from './rpc.ts'

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

/** Whether the WebUI shows its page of logs: to an agent that is called so, of a version that has what the page needs (ipfs-webui 4.9). */
function showsLogs(agent: string): boolean {
  const [name, version] = agent.split('/').filter(part => part !== '')
  return name === 'kubo' && gte(version!, '0.37.0')
}

test('the WebUI shows its page of logs at level 0.42, and finds all there that the page reads', async t => {
  const { host, url, post } = await openNode(t, { configuration: { rpc: { level: '0.42' } } })
  const client = create(url)
  t.true(showsLogs((await client.id()).agentVersion))
  const levels = async () => ((await (await post('log/level?arg=*')).json()) as { Levels: object }).Levels
  t.like(await levels(), { '(default)': 'error', pins: 'error' })
  await client.log.level('pins', 'debug')
  t.like(await levels(), { '(default)': 'error', pins: 'debug' })
  t.true(((await client.log.ls()) as string[]).includes('pins'))
  const aborting = new AbortController()
  const entries = client.log.tail({ signal: aborting.signal })[Symbol.asyncIterator]()
  const first = entries.next()
  while ((await running(host)) === 0) await new Promise(resolve => setImmediate(resolve))
  host.logs.get('pins').debug({ cid: 'bafkqaaa' }, 'pinned')
  const { value } = (await first) as { value: Record<string, string> }
  t.like(value, { level: 'debug', logger: 'pins', msg: 'pinned', cid: 'bafkqaaa' })
  t.is(value['ts'], new Date(value['ts']!).toISOString())
  aborting.abort()
  await t.throwsAsync(async () => entries.next())
})

test('at level 0.28 levels cannot be read, and the WebUI says so instead of its page of logs', async t => {
  const { url, post } = await openNode(t)
  t.false(showsLogs((await create(url).id()).agentVersion))
  t.is((await post('log/level?arg=*')).status, 400)
})

async function running(host: Awaited<ReturnType<typeof testHost>>): Promise<number> {
  const calls = (await host.call('diag/cmds')) as Array<{ Command: string; Active: boolean }>
  return calls.filter(({ Command, Active }) => Command === 'log/tail' && Active).length
}
