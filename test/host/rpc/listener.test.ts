import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type Json, plugin } from '../../../core/index.ts'
import { openRpc, type RpcListener } from '../../../host/rpc/listener.ts'
import { testHost } from '../../../host/testing.ts'
import { all } from './support/commands.ts'
import { holding } from './support/hold.ts'
import { openTestRpc } from './support/rpc.ts'

async function open(
  t: ExecutionContext,
  config: Record<string, Json>,
  more: Partial<Parameters<typeof openRpc>[0]> = {}
): Promise<RpcListener> {
  const host = await testHost({ builtIns: false, plugins: [plugin({ name: 'fakes', api: '^1', about: '', commands: all })] })
  t.teardown(() => host.stop())
  const rpc = await openRpc({
    calls: host.calls,
    repo: { get: (<T>(key: string) => config[key] as T) as never },
    host,
    logs: host.logs,
    ...more
  })
  t.teardown(() => rpc.close())
  return rpc
}

function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'rpc-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const status = (socketPath: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    http
      .request({ socketPath, path: '/api/v0/one', method: 'POST', agent: false }, response => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })

test('addresses come from the caller, then the settings, then the node configuration, and tell the ports that were bound', async t => {
  const config = { 'Addresses.API': ['/ip4/127.0.0.1/tcp/0', '/ip6/::1/tcp/0'] }
  const both = await open(t, config)
  t.regex(both.addresses[0]!, /^\/ip4\/127\.0\.0\.1\/tcp\/[1-9]\d*$/)
  t.regex(both.addresses[1]!, /^\/ip6\/::1\/tcp\/[1-9]\d*$/)
  const single = await open(t, { 'Addresses.API': '/ip4/127.0.0.2/tcp/0' })
  t.regex(single.addresses[0]!, /^\/ip4\/127\.0\.0\.2\//)
  const set = await open(t, config, { settings: { address: '/ip4/127.0.0.3/tcp/0' } })
  t.regex(set.addresses[0]!, /^\/ip4\/127\.0\.0\.3\//)
  const given = await open(t, config, { settings: { address: '/ip4/127.0.0.3/tcp/0' }, addresses: ['/dns4/localhost/tcp/0/http'] })
  t.regex(given.addresses[0]!, /^\/ip4\/127\.0\.0\.1\//)
  t.deepEqual((await open(t, {})).addresses, [])
  for (const none of [null, '', []]) t.deepEqual((await open(t, { 'Addresses.API': none })).addresses, [])
})

test('an address that others reach is refused while no caller needs a secret', async t => {
  for (const address of ['/ip4/0.0.0.0/tcp/0', '/ip6/::/tcp/0', '/ip4/10.0.0.1/tcp/0']) {
    await t.throwsAsync(open(t, {}, { addresses: ['/ip4/127.0.0.1/tcp/0', address] }), {
      code: 'E_RPC_EXPOSED',
      message: /API\.Authorizations[\s\S]*loopback address/
    })
  }
})

test('an address that cannot be listened on is told with what would do', async t => {
  for (const address of ['nonsense', '/ip4/127.0.0.1/udp/1', '/ip4/127.0.0.1/tcp/1/ws', '/dns4/nowhere.invalid/tcp/0']) {
    await t.throwsAsync(
      open(t, {}, { addresses: [address] }),
      { code: 'E_RPC_ADDRESS', message: /\/ip4\/127\.0\.0\.1\/tcp\/5001/ },
      address
    )
  }
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  await t.throwsAsync(open(t, {}, { addresses: ['/ip4/127.0.0.1/tcp/0', `/ip4/127.0.0.1/tcp/${port}`] }), {
    code: 'E_RPC_LISTEN',
    message: /EADDRINUSE/
  })
})

test('a Unix socket serves, a left-over one is taken over, a living one is not', async t => {
  const path = join(folder(t), 'rpc.sock')
  const address = `/unix${path}`
  const rpc = await open(t, {}, { addresses: [address] })
  t.deepEqual(rpc.addresses, [address])
  t.is(await status(path), 200)
  await t.throwsAsync(open(t, {}, { addresses: [address] }), { code: 'E_RPC_LISTEN' })
  await rpc.close()
  t.false(existsSync(path))
  const killed = spawnSync(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  ])
  t.is(killed.signal, 'SIGKILL')
  t.true(existsSync(path))
  await open(t, {}, { addresses: [address] })
  t.is(await status(path), 200)
})

test('closing lets running requests finish and takes no new ones', async t => {
  const { hold, arrived, answer } = holding()
  const rpc = await openTestRpc(t, { commands: [hold] })
  const [idle, busy] = [await rpc.wire(), await rpc.wire()]
  busy.ask('POST /api/v0/hold HTTP/1.1', ['Content-Length: 0'])
  await arrived()
  const closed = rpc.close()
  await idle.end()
  await t.throwsAsync(rpc.wire(), { code: 'ECONNREFUSED' })
  answer()
  t.regex(await busy.until(/\{\}\n/), /^HTTP\/1\.1 200/)
  await closed
  t.pass()
})

test('closing cuts off what does not finish in its time', async t => {
  const { hold, arrived } = holding()
  const rpc = await openTestRpc(t, { commands: [hold], settings: { limits: { stopGraceMs: 20 } } })
  const wire = await rpc.wire()
  wire.ask('POST /api/v0/hold HTTP/1.1', ['Content-Length: 0'])
  await arrived()
  await rpc.close()
  t.is(await wire.end(), '')
})
