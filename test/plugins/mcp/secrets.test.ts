import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'
import { Repo } from '../../../core/index.ts'
import { serve, testHost } from '../../../host/testing.ts'
import { call, textsOf } from './world.ts'

test('the secret of a client bounds what its tools may do, whatever the settings admit, and a session is its own', async t => {
  const host = await testHost({ configuration: { plugins: { mcp: { port: 0, access: 'write' } } } })
  t.teardown(() => host.stop())
  const Authorizations = {
    reader: { AuthSecret: 'bearer:r', AllowedPaths: ['/mcp'], Access: 'read' },
    writer: { AuthSecret: 'bearer:w', AllowedPaths: ['/mcp'] },
    other: { AuthSecret: 'bearer:o', AllowedPaths: ['/api/v0'] }
  }
  await host.service(Repo)!.updateConfig(config => ({ ...config, API: { ...(config['API'] as object), Authorizations } }))
  const url = new URL('/mcp', (await serve(host)).listeners['mcp'])
  const connect = async (secret: string) => {
    const client = new Client({ name: 'witness', version: '1.2.3' })
    const headers = { Authorization: `Bearer ${secret}` }
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
    await client.connect(transport)
    t.teardown(() => client.close())
    return { client, session: transport.sessionId! }
  }
  const files = [{ path: 'a', text: 'words' }]
  const writer = await connect('w')
  const put = await call(writer.client, 'block_put', { files })
  t.not(put.isError, true, textsOf(put).join())

  const reader = await connect('r')
  t.not((await call(reader.client, 'version')).isError, true)
  const refused = await call(reader.client, 'block_put', { files })
  t.true(refused.isError)
  t.deepEqual(textsOf(refused), ["block/put takes the access 'write', and 'reader' has 'read' (E_ACCESS)"])

  await t.throwsAsync(connect('o'), { message: /403|Denied/ })
  const stolen = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: 'Bearer r',
      'Mcp-Session-Id': writer.session,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream'
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'block_put', arguments: { files } } })
  })
  t.is(stolen.status, 404)
})
