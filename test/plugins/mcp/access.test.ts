/** What a secret's access means for the tools behind it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'
import { Activity, Repo } from '../../../core/index.ts'
import { serve, testHost } from '../../../host/testing.ts'
import { call, textsOf } from './world.ts'

const SECRETS = {
  reader: { AuthSecret: 'bearer:r', AllowedPaths: ['/mcp'], Access: 'read' },
  writer: { AuthSecret: 'bearer:w', AllowedPaths: ['/mcp'], Access: 'write' },
  owner: { AuthSecret: 'bearer:o', AllowedPaths: ['/'] }
}

test('a secret is held to its access, whatever the settings offer, in a session that another began too', async t => {
  const host = await testHost({ configuration: { plugins: { mcp: { port: 0, access: 'write' } } } })
  t.teardown(() => host.stop())
  const repo = host.service(Repo)!
  const get = repo.get.bind(repo)
  Object.assign(repo, { get: (key: string) => (key === 'API.Authorizations' ? SECRETS : get(key)) })
  const { listeners } = await serve(host)
  const clientOf = async (secret: string, sessionId?: string) => {
    const client = new Client({ name: 'witness', version: '1' })
    const headers = { Authorization: `Bearer ${secret}` }
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', listeners['mcp']), { requestInit: { headers }, sessionId })
    await client.connect(transport)
    t.teardown(() => client.close())
    return { client, sessionId: transport.sessionId }
  }
  const add = (client: Client) => call(client, 'add', { files: [{ text: 'mine' }] })
  const { client: writer, sessionId } = await clientOf('w')
  t.falsy((await add(writer)).isError)
  for (const { client } of [await clientOf('r'), await clientOf('r', sessionId)]) {
    const refused = await add(client)
    t.true(refused.isError)
    t.deepEqual(textsOf(refused), ["add takes the access 'write', and 'reader' has 'read' (E_ACCESS)"])
    t.falsy((await call(client, 'version')).isError)
  }
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
})
