import test from 'ava'
import { z } from 'zod'
import { checkHostConfig } from '../../config/host/check.ts'
import type { LoadedConfiguration } from '../../config/host/load.ts'
import { command, p, plugin, value } from '../../core/index.ts'
import { whyOffline, withLevel } from '../../host/cli/configuration/environment.ts'
import { testHost } from '../../host/testing.ts'
import { openNode } from '../plugins/diagnostics/rpc.ts'

const levelled = plugin({
  name: 'levelled',
  api: '^1',
  about: 'One letter for two options.',
  commands: [
    command.read('levelled', {
      help: 'Tell the options.',
      options: { names: p.bool('Old.').alias('n'), name: p.string('New.') },
      levels: { '0.42': { options: { names: p.bool('Old.'), name: p.string('New.').alias('n') } } },
      reply: value(z.object({ names: z.boolean().optional(), name: z.string().optional() })),
      run: (_, { options: { names, name } }) => ({ names, name })
    })
  ]
})

for (const [level, version, said] of [
  ['0.28', '0.28.0', { names: true }],
  ['0.42', '0.42.0', { name: 'true' }]
] as const) {
  test(`a node of level ${level} says so wherever it tells its version, and declares its commands for it`, async t => {
    const { host, url, post } = await openNode(t, { configuration: { rpc: { level } }, plugins: [levelled] })
    t.is(host.level, level)
    const answer = await post('version')
    t.is(((await answer.json()) as { Version: string }).Version, version)
    t.is(answer.headers.get('server'), `kubo/${version}`)
    t.is(((await host.call('diag/sys')) as { ipfs_version: string }).ipfs_version, version)
    t.is(await (await fetch(`${url}/version`, { method: 'POST' })).text(), `Commit: \nClient Version: kubo/${version}/\n`)
    t.true((await (await fetch(`${url}/openapi.json`)).text()).includes(`The RPC of Kubo ${level} as`))
    t.true((await (await fetch(`${url}/debug/metrics/prometheus`)).text()).includes(`version="${version}"`))
    t.deepEqual(await (await post('levelled?n=true')).json(), said)
    t.is((await post('levelled', { headers: { 'user-agent': `/kubo/${version}/` } })).status, 200)
    const other = await post('levelled', { headers: { 'user-agent': '/kubo/0.30.0/' } })
    t.is(await other.text(), `api version mismatch (/kubo/${version}/ != /kubo/0.30.0/)\n`)
  })
}

test('the level is 0.28 where nothing is said, and a number in a configuration means its text', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  t.is(host.level, '0.28')
  t.is(checkHostConfig({ rpc: {} }, 'file').rpc?.level, '0.28')
  t.is(checkHostConfig({ rpc: { level: 0.42 } }, 'file').rpc?.level, '0.42')
  t.throws(() => checkHostConfig({ rpc: { level: '0.30' } }, 'file'), { message: 'file: rpc.level is "0.30"; allowed: 0.28 or 0.42' })
})

test('HOLDFAST_RPC_LEVEL goes before the configuration; one that is no level is an error', t => {
  const loaded = {
    configuration: checkHostConfig({ rpc: { level: '0.28', allowedHosts: ['a.example'] } }, 'file'),
    file: 'file',
    folder: '/'
  }
  const { rpc } = withLevel(loaded, { HOLDFAST_RPC_LEVEL: '0.42' }).configuration
  t.like(rpc, { level: '0.42', allowedHosts: ['a.example'], lateFailure: 'break' })
  const none: LoadedConfiguration = { configuration: {}, file: undefined, folder: '/' }
  t.is(withLevel(none, { HOLDFAST_RPC_LEVEL: '0.42' }).configuration.rpc?.level, '0.42')
  t.is(withLevel(loaded, {}), loaded)
  t.is(withLevel(loaded, { HOLDFAST_RPC_LEVEL: '' }), loaded)
  t.throws(() => withLevel(loaded, { HOLDFAST_RPC_LEVEL: '0.41' }), {
    code: 'E_RPC_LEVEL',
    message: "HOLDFAST_RPC_LEVEL is '0.41': it is 0.28 or 0.42"
  })
})

test('a daemon is offline by its flag or the environment, of which the flag goes first', t => {
  t.is(whyOffline(undefined, {}), undefined)
  t.is(whyOffline(true, { HOLDFAST_OFFLINE: '0' }), '--offline')
  t.is(whyOffline(false, { HOLDFAST_OFFLINE: '1' }), undefined)
  for (const said of ['1', 'true']) t.is(whyOffline(undefined, { HOLDFAST_OFFLINE: said }), 'HOLDFAST_OFFLINE')
  for (const said of ['', '0', 'false']) t.is(whyOffline(undefined, { HOLDFAST_OFFLINE: said }), undefined, said)
  t.throws(() => whyOffline(undefined, { HOLDFAST_OFFLINE: 'yes' }), { code: 'E_OFFLINE', message: /HOLDFAST_OFFLINE is 'yes'/ })
})
