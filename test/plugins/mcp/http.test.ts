import test from 'ava'
import { Activity } from '../../../core/index.ts'
import { itemsOf, upload } from '../../../host/testing.ts'
import { call, running, textsOf, tries, world } from './world.ts'

test('the read commands of a node are listed, and the others not', async t => {
  const { connect } = await world(t)
  const client = await connect()
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  t.true(['cat', 'ls', 'dag_get', 'pin_ls', 'version'].every(name => names.includes(name)))
  for (const name of ['add', 'pin_add', 'block_rm', 'repo_gc', 'shutdown', 'mcp']) t.false(names.includes(name), name)
  t.deepEqual(client.getServerVersion()?.name, 'holdfast')
})

test('an object comes as its JSON and as an object', async t => {
  const { connect } = await world(t)
  const answer = await call(await connect(), 'version')
  t.is(textsOf(answer).length, 1)
  const { Version } = answer.structuredContent as { Version: string }
  t.deepEqual(JSON.parse(textsOf(answer)[0]!), answer.structuredContent)
  t.is(typeof Version, 'string')
})

test('content that was added is read as text, octets as a resource, and both by CID', async t => {
  const { connect, host } = await world(t)
  const client = await connect()
  const [{ Hash }] = (await itemsOf(await host.call('add', { body: upload('hello, world') }))) as [{ Hash: string }]
  t.deepEqual(textsOf(await call(client, 'cat', { ipfsPath: [`/ipfs/${Hash}`] })), ['hello, world'])
  t.deepEqual(textsOf(await call(client, 'cat', { ipfsPath: [Hash], offset: 7, length: '5' })), ['world'])
  const octets = new Uint8Array([0, 1, 254, 255])
  const [other] = (await itemsOf(await host.call('add', { body: upload(octets) }))) as [{ Hash: string }]
  const { content } = await call(client, 'cat', { ipfsPath: [other.Hash] })
  const blob = Buffer.from(octets).toString('base64')
  t.deepEqual(content, [{ type: 'resource', resource: { uri: `ipfs://${other.Hash}`, mimeType: 'application/octet-stream', blob } }])
  const { contents } = await client.readResource({ uri: `ipfs://${other.Hash}?offset=2` })
  t.is((contents[0] as { blob: string }).blob, Buffer.from([254, 255]).toString('base64'))
})

test('files are uploaded where the settings admit it', async t => {
  const { connect } = await world(t, { commands: ['add'] })
  const client = await connect()
  const files = [
    { path: 'a/one.txt', text: 'one' },
    { path: 'a/two.bin', base64: Buffer.from('two').toString('base64') }
  ]
  const lines = textsOf(await call(client, 'add', { files, 'wrap-with-directory': false }))[0]!
    .split('\n')
    .map(line => JSON.parse(line))
  t.deepEqual(
    lines.map(({ Name }) => Name),
    ['a/one.txt', 'a/two.bin', 'a']
  )
  const folder = lines.at(-1).Hash
  t.deepEqual(textsOf(await call(client, 'cat', { ipfsPath: [`/ipfs/${folder}/two.bin`] })), ['two'])
})

test('a caller shows in the list of activity with the name of the client', async t => {
  const { connect, host } = await world(t)
  await call(await connect(), 'version')
  const { caller } = host
    .service(Activity)!
    .list()
    .find(({ command }) => command === 'version')!
  t.like(caller, { transport: 'mcp', userAgent: 'witness/1.2.3', address: '127.0.0.1', grant: { name: 'mcp', access: 'read' } })
})

test('a call that is cancelled ends within a second, and so does one whose client leaves', async t => {
  const { connect, host } = await world(t, {}, [tries])
  const client = await connect()
  const controller = new AbortController()
  const cancelled = client.callTool({ name: 'try_hang' }, undefined, { signal: controller.signal })
  cancelled.catch(() => {})
  const left = (await connect()).callTool({ name: 'try_hang' })
  left.catch(() => {})
  const began = () =>
    host
      .service(Activity)!
      .list()
      .filter(({ command }) => command === 'try/hang').length
  for (let i = 0; i < 200 && began() < 2; i++) await new Promise(resolve => setTimeout(resolve, 10))
  t.is(began(), 2)
  controller.abort('enough')
  await t.throwsAsync(cancelled, { message: /enough/ })
  for (let i = 0; i < 100 && host.calls.running > 1; i++) await new Promise(resolve => setTimeout(resolve, 10))
  t.is(host.calls.running, 1)
  await call(client, 'version')
})

void running
