/** What a secret's access means for the tools behind it. */
import { createHash } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'
import { Activity, Repo } from '../../../core/index.ts'
import { serve, testHost } from '../../../host/testing.ts'
import { until } from '../../helpers/until.ts'
import { call, textsOf, tries } from './world.ts'

const hash = (secret: string) => `sha256:${createHash('sha256').update(secret).digest('hex')}`

const SECRETS = {
  reader: { AuthSecret: 'bearer:r', AllowedPaths: ['/mcp'], Access: 'read' },
  writer: { AuthSecret: 'bearer:w', AllowedPaths: ['/mcp'], Access: 'write' },
  owner: { AuthSecret: 'bearer:o', AllowedPaths: ['/'] },
  // as `token new` makes them
  token: { SecretHash: hash('t'), Access: 'read' },
  bounded: { SecretHash: hash('b'), Access: 'admin', Commands: ['* /mcp', 'pin/**'] },
  pinner: { SecretHash: hash('p'), Access: 'admin', Commands: ['pin/**'] }
}

test('a secret is held to its access, whatever the settings offer, and a session is for the secret that began it', async t => {
  const host = await testHost({ configuration: { plugins: { mcp: { port: 0, access: 'write' } } } })
  t.teardown(() => host.stop())
  const repo = host.service(Repo)!
  const get = repo.get.bind(repo)
  Object.assign(repo, { get: (key: string) => (key === 'API.Authorizations' ? SECRETS : get(key)) })
  const { listeners } = await serve(host)
  const url = new URL('/mcp', listeners['mcp'])
  const clientOf = async (secret: string) => {
    const client = new Client({ name: 'witness', version: '1' })
    const headers = { Authorization: `Bearer ${secret}` }
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
    await client.connect(transport)
    t.teardown(() => client.close())
    return { client, sessionId: transport.sessionId! }
  }
  const add = (client: Client) => call(client, 'add', { files: [{ text: 'mine' }] })
  const { client: writer, sessionId } = await clientOf('w')
  t.falsy((await add(writer)).isError)
  const { client: reader } = await clientOf('r')
  const refused = await add(reader)
  t.true(refused.isError)
  t.deepEqual(textsOf(refused), ["add takes the access 'write', and 'reader' has 'read' (E_ACCESS)"])
  t.falsy((await call(reader, 'version')).isError)
  const fields = { 'Mcp-Session-Id': sessionId, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const joined = (secret: string) => fetch(url, { method: 'POST', headers: { ...fields, Authorization: `Bearer ${secret}` }, body })
  t.is((await joined('r')).status, 404)
  t.is((await joined('w')).status, 200)
  const granted = host
    .service(Activity)!
    .list()
    .flatMap(({ command, caller: { grant } }) => (command === 'add' ? [grant] : []))
  t.deepEqual(granted, [{ name: 'writer', access: 'write' }])
  // and a secret without a bound to that of the settings
  const { client: owner } = await clientOf('o')
  t.falsy((await add(owner)).isError)
  await t.throwsAsync(call(owner, 'shutdown'), { message: /the tool 'shutdown' is not offered/ })
  await t.throwsAsync(clientOf('x'), { message: /Access Denied/ })
  const { client: token } = await clientOf('t')
  t.falsy((await call(token, 'version')).isError)
  t.deepEqual(textsOf(await call(token, 'add', { files: [{ text: 'mine' }] })), [
    "add takes the access 'write', and 'token' has 'read' (E_ACCESS)"
  ])
  const { client: bounded } = await clientOf('b')
  t.falsy((await call(bounded, 'pin_ls')).isError)
  t.regex(
    textsOf(await call(bounded, 'version'))[0]!,
    /version is none of what 'bounded' may call: \* \/mcp, pin\/\*\* \(E_ACCESS_COMMAND\)/
  )
  await t.throwsAsync(clientOf('p'), { message: /\* \/mcp is none of what 'pinner' may call: pin\/\*\*/ })
})

test('a session ends with the token that began it: neither what it runs nor another token of that name goes on in it', async t => {
  const host = await testHost({
    plugins: [tries],
    configuration: { plugins: { mcp: { port: 0, access: 'write', limits: { sessions: 2 } } } }
  })
  t.teardown(() => host.stop())
  const make = async (name: string, access: string) =>
    ((await host.call('token/new', { args: [name], options: { access } })) as { readonly Token: string }).Token
  const writer = await make('name', 'write')
  const keeper = await make('keeper', 'read')
  const { listeners } = await serve(host)
  const url = new URL('/mcp', listeners['mcp'])
  const connect = async (secret: string) => {
    const client = new Client({ name: 'witness', version: '1' })
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${secret}` } } })
    await client.connect(transport)
    t.teardown(() => client.close())
    return { client, sessionId: transport.sessionId! }
  }
  const { client, sessionId } = await connect(writer)
  const kept = await connect(keeper)
  t.falsy((await call(client, 'add', { files: [{ text: 'mine' }] })).isError)
  const running = call(client, 'try_hang').then(
    () => 'answered',
    () => 'ended'
  )
  const runs = (name: string) =>
    host
      .service(Activity)!
      .list()
      .some(({ command, end }) => command === name && end === undefined)
  await until('the call runs', () => runs('try/hang'))
  await t.throwsAsync(connect(keeper), { message: /sessions/ })

  await host.call('token/rm', { args: ['name'] })
  const reader = await make('name', 'read')
  const fields = { 'Mcp-Session-Id': sessionId, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 9,
    method: 'tools/call',
    params: { name: 'add', arguments: { files: [{ text: 'no' }] } }
  })
  const answer = await fetch(url, { method: 'POST', headers: { ...fields, Authorization: `Bearer ${reader}` }, body })
  t.is(answer.status, 404)
  await answer.text()
  await until('what it ran ends', () => !runs('try/hang'))
  t.is(await running, 'ended')
  await until('its place is free', () => connect(reader).then(Boolean, () => false))
  t.falsy((await call(kept.client, 'version')).isError)
})
