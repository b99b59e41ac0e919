/** Tools over HTTP, called by the SDK's own client. */

import test from 'ava'
import { Activity, hook } from '../../../core/index.ts'
import type { NodeHost } from '../../../host/host.ts'
import { itemsOf, upload } from '../../../host/testing.ts'
import { named } from '../../helpers/plugin.ts'
import { until } from '../../helpers/until.ts'
import { call, textsOf, tries, world } from './world.ts'

test('the read commands of a node are listed, and the others not', async t => {
  const { connect } = await world(t)
  const client = await connect()
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  for (const name of ['cat', 'ls', 'dag_get', 'pin_ls', 'version']) t.true(names.includes(name), name)
  for (const name of ['add', 'pin_add', 'block_rm', 'repo_gc', 'shutdown', 'mcp']) t.false(names.includes(name), name)
  t.is(client.getServerVersion()?.name, 'holdfast')
})

test('an object comes as its JSON and as an object', async t => {
  const { connect } = await world(t)
  const answer = await call(await connect(), 'version')
  const [json, ...more] = textsOf(answer)
  t.deepEqual(more, [])
  t.deepEqual(JSON.parse(json!), answer.structuredContent)
  t.is(typeof (answer.structuredContent as { Version: string }).Version, 'string')
})

test('content is read as text, octets as a resource, and both by CID', async t => {
  const { connect, host } = await world(t)
  const client = await connect()
  const text = await added(host, 'hello, world')
  t.deepEqual(textsOf(await call(client, 'cat', { ipfsPath: [`/ipfs/${text}`] })), ['hello, world'])
  t.deepEqual(textsOf(await call(client, 'cat', { ipfsPath: [text], offset: 7, length: '5' })), ['world'])
  const octets = new Uint8Array([0, 1, 254, 255])
  const hash = await added(host, octets)
  const { content } = await call(client, 'cat', { ipfsPath: [hash] })
  const blob = Buffer.from(octets).toString('base64')
  t.deepEqual(content, [{ type: 'resource', resource: { uri: `ipfs://${hash}`, mimeType: 'application/octet-stream', blob } }])
  const { contents } = await client.readResource({ uri: `ipfs://${hash}?offset=2` })
  t.is((contents[0] as { blob: string }).blob, Buffer.from([254, 255]).toString('base64'))
  await t.throwsAsync(client.readResource({ uri: 'https://example.com/' }), { message: /'https:\/\/example\.com\/' is no resource/ })
  await t.throwsAsync(client.readResource({ uri: `ipfs://${hash}?offset=x` }), { message: /could not convert value "x" to type "int64"/ })
})

async function added(host: NodeHost, content: string | Uint8Array): Promise<string> {
  const [{ Hash }] = (await itemsOf(await host.call('add', { body: upload(content) }))) as [{ Hash: string }]
  return Hash
}

test('files are uploaded where the settings admit it', async t => {
  const { connect } = await world(t, { commands: ['add'] })
  const client = await connect()
  const files = [
    { path: 'a/one.txt', text: 'one' },
    { path: 'a/two.bin', base64: Buffer.from('two').toString('base64') }
  ]
  const lines = textsOf(await call(client, 'add', { files, 'raw-leaves': true }))[0]!
    .split('\n')
    .map(line => JSON.parse(line))
  t.deepEqual(
    lines.map(({ Name }) => Name),
    ['a/one.txt', 'a/two.bin', 'a']
  )
  t.deepEqual(textsOf(await call(client, 'cat', { ipfsPath: [`/ipfs/${lines.at(-1).Hash}/two.bin`] })), ['two'])
})

test('objects that flow come one a line, and an error behind them is told with them', async t => {
  const { connect } = await world(t, {}, [tries])
  const client = await connect()
  t.deepEqual(textsOf(await call(client, 'try_count', { to: '3' })), ['{"N":0}\n{"N":1}\n{"N":2}'])
  const broken = await call(client, 'try_count', { to: '2', break: true })
  t.true(broken.isError)
  t.deepEqual(textsOf(broken), ['{"N":0}\n{"N":1}', 'it broke after 2 (E_TRY_BROKEN)'])
  t.deepEqual(broken.structuredContent, { error: { code: 'E_TRY_BROKEN', message: 'it broke after 2' } })
})

test('an error of a command is an answer with its message and code', async t => {
  const { connect } = await world(t)
  const answer = await call(await connect(), 'block_stat', { cid: 'Qmbad' })
  t.true(answer.isError)
  t.regex(textsOf(answer)[0]!, /Qmbad.* \(E_[A-Z_]+\)$/)
})

test('who asks for it is told how far a call is, as its command declares', async t => {
  const { connect } = await world(t, {}, [tries])
  const client = await connect()
  const told: unknown[] = []
  const onprogress = (state: unknown) => told.push(state)
  const answer = await client.callTool({ name: 'try_count', arguments: { to: '3' } }, undefined, { onprogress })
  t.deepEqual(textsOf(answer), ['{"N":0}\n{"N":1}\n{"N":2}'])
  t.deepEqual(told, [
    { progress: 1, total: 3, message: '1 steps' },
    { progress: 2, total: 3, message: '2 steps' },
    { progress: 3, total: 3, message: '3 steps' }
  ])
  const bytes: Array<{ progress: number }> = []
  await client.callTool({ name: 'commands' }, undefined, { onprogress: state => bytes.push(state) })
  t.deepEqual(bytes, [])
})

test('of a command that declares nothing, objects and bytes are counted', async t => {
  const { connect, host } = await world(t)
  const client = await connect()
  const hash = await added(host, 'some words')
  const last = async (name: string, input: object) => {
    const told: Array<{ progress: number }> = []
    await client.callTool({ name, arguments: { ...input } }, undefined, { onprogress: state => told.push(state) })
    return told.at(-1)
  }
  t.deepEqual(await last('cat', { ipfsPath: [hash] }), { progress: 10, total: 10, message: '10 bytes' } as never)
  t.deepEqual(await last('pin_ls', { stream: true }), { progress: 2, message: '2 objects' } as never)
})

test('a caller shows in the list of activity with the name of its client', async t => {
  const { connect, host } = await world(t)
  await call(await connect(), 'version')
  const { caller } = host
    .service(Activity)!
    .list()
    .find(({ command }) => command === 'version')!
  t.like(caller, { transport: 'mcp', userAgent: 'witness/1.2.3', address: '127.0.0.1', grant: { access: 'read' } })
})

test('a call that is cancelled ends, and so does one whose client leaves', async t => {
  const { connect, host } = await world(t, {}, [tries])
  const [staying, leaving] = [await connect(), await connect()]
  const active = () =>
    host
      .service(Activity)!
      .list()
      .filter(({ command, end }) => command === 'try/hang' && end === undefined).length
  const controller = new AbortController()
  const cancelled = t.throwsAsync(staying.callTool({ name: 'try_hang' }, undefined, { signal: controller.signal }), { message: /enough/ })
  const left = t.throwsAsync(leaving.callTool({ name: 'try_hang' }))
  await until('both calls run', () => active() === 2)
  controller.abort('enough')
  await cancelled
  await until('one call runs', () => active() === 1)
  await leaving.close()
  await left
  await until('no call runs', () => active() === 0)
  t.is((await call(staying, 'version')).isError, undefined)
})

test('hooks see the calls of tools, and those whose inputs make no call', async t => {
  const seen: string[] = []
  const watcher = named('watcher', {
    around: [
      hook({
        also: ['malformed'],
        run(_, { kind, command, caller }, next) {
          seen.push(`${kind} ${command.path} ${caller.transport} ${caller.headers?.['user-agent'] !== undefined}`)
          return next()
        }
      })
    ]
  })
  const { connect } = await world(t, {}, [tries, watcher])
  const client = await connect()
  await call(client, 'try_echo', { first: 'a' })
  await t.throwsAsync(call(client, 'try_echo', { first: 'a', small: -1 }), { message: /could not convert value "-1"/ })
  t.deepEqual(seen, ['call try/echo mcp true', 'malformed try/echo mcp true'])
})
