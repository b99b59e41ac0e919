import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { hasCode, Names } from '../../../core/index.ts'
import { formatName, nowInNanoseconds, parseName, readRecord } from '../../../core/ipns/index.ts'
import type { NodeHost } from '../../../host/host.ts'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'
import { EMPTY_FOLDER, HOUR, namesOf, nodeWith, recordOf, Shelf, signer } from './helpers.ts'

const put = (host: NodeHost, name: string, record: Uint8Array | string, options: Record<string, unknown> = {}) =>
  host.call('name/put', { args: [name], options, body: upload(typeof record === 'string' ? Buffer.from(record) : record) })
const get = async (host: NodeHost, name: string) => Buffer.concat(await itemsOf<Uint8Array>(await host.call('name/get', { args: [name] })))

/** A key of somebody else's, and its name. */
async function stranger() {
  const by = await signer()
  return { by, name: formatName(parseName(by.peerId)) }
}

test('a record that was made elsewhere is kept, handed on, and found by another node as the bytes that it is', async t => {
  const shelf = new Shelf()
  const [one, other] = [await nodeWith(t), await nodeWith(t)]
  for (const host of [one, other]) namesOf(host).addRoute(shelf.route())
  const { by, name } = await stranger()
  const record = await recordOf(by, { path: `${EMPTY_FOLDER}/a`, sequence: 3n })
  t.deepEqual(await put(one, name, record), { Name: name, Value: `${EMPTY_FOLDER}/a` })
  t.deepEqual(await get(other, `/ipns/${name}`), Buffer.from(record))
  t.is((await namesOf(other).resolve(`/ipns/${name}`)).path, `${EMPTY_FOLDER}/a`)
  t.deepEqual(await put(one, name, record), { Name: name, Value: `${EMPTY_FOLDER}/a` }, 'the same once more')
})

test('a record that counts no more than the present one is refused, and forced does not win', async t => {
  const shelf = new Shelf()
  const host = await nodeWith(t)
  namesOf(host).addRoute(shelf.route())
  const { by, name } = await stranger()
  const [first, second] = [await recordOf(by, { sequence: 1n }), await recordOf(by, { sequence: 2n })]
  await put(host, name, second)
  const error = await t.throwsAsync(put(host, name, first))
  t.true(hasCode(error, 'E_RECORD_SEQUENCE'))
  t.is(error?.message, "existing IPNS record has sequence 2 >= new record sequence 1, use 'ipfs name put --force' to skip this check")
  t.like(await put(host, name, first, { force: true }), { Name: name })
  t.deepEqual(await get(host, name), Buffer.from(second))
})

test('what is no good record of the name is named for what is wrong with it', async t => {
  const host = await nodeWith(t)
  namesOf(host).addRoute(new Shelf().route())
  const [{ by, name }, other] = [await stranger(), await stranger()]
  const ended = await recordOf(by, { end: nowInNanoseconds() - HOUR })
  for (const [to, record, options, message] of [
    [name, '', {}, 'record is empty'],
    [name, '', { force: true }, 'record is empty'],
    [name, 'nonsense', {}, 'invalid IPNS record: record is malformed\nproto: cannot parse invalid wire-format data'],
    [name, ended, {}, 'record validation failed: record is expired'],
    [other.name, await recordOf(by), {}, 'record validation failed: signature verification failed'],
    [name, Buffer.alloc(10_241), {}, 'record exceeds maximum size of 10240 bytes, use --force to skip size check'],
    [name, Buffer.alloc(10_241), { force: true }, 'record exceeds allowed size limit'],
    ['nonsense', await recordOf(by), {}, 'invalid IPNS name: failed to parse peer ID: invalid cid: selected encoding not supported'],
    [name, await recordOf(by), { allowOffline: true, allowDelegated: true }, 'cannot use both --allow-offline and --allow-delegated flags']
  ] as const)
    await t.throwsAsync(put(host, to, record, options), { message })
  t.deepEqual(await put(host, name, 'nonsense', { force: true }), { Name: name, Value: '' })
  await t.throwsAsync(get(host, name), { message: 'routing: not found' }, 'what was forced is no answer')
})

test('a node without routes keeps a record where it is allowed to, and gives none', async t => {
  const host = await nodeWith(t)
  const { by, name } = await stranger()
  const record = await recordOf(by, { path: `${EMPTY_FOLDER}/a` })
  t.true(hasCode(await t.throwsAsync(put(host, name, record)), 'E_ACTION_NEEDS_ONLINE'))
  await put(host, name, record, { allowOffline: true })
  t.is((await namesOf(host).resolve(`/ipns/${name}`)).path, `${EMPTY_FOLDER}/a`)
  t.true(hasCode(await t.throwsAsync(get(host, name)), 'E_ACTION_NEEDS_ONLINE'))
})

test('a record is published under the number that was asked for, above that of the present one', async t => {
  const host = await nodeWith(t)
  const publish = async (path: string, options: Record<string, unknown> = {}) => {
    const { Name } = (await host.call('name/publish', {
      args: [path],
      options: { allowOffline: true, resolve: false, ...options }
    })) as { Name: string }
    return readRecord((await namesOf(host).record(Name))!).sequence
  }
  t.is(await publish(EMPTY_FOLDER, { sequence: 7n }), 7n)
  for (const sequence of [7n, 0n])
    t.true(hasCode(await t.throwsAsync(publish(EMPTY_FOLDER, { sequence })), 'E_PUBLISH_SEQUENCE'), `${sequence}`)
  t.is(await publish(EMPTY_FOLDER), 7n, 'it leads where it led')
  t.is(await publish(`${EMPTY_FOLDER}/a`), 8n)
  const last = 2n ** 64n - 1n
  t.is(await publish(`${EMPTY_FOLDER}/a`, { sequence: last }), last, 'also one of the upper half')
  t.is(await publish(`${EMPTY_FOLDER}/a`), last)
  t.true(hasCode(await t.throwsAsync(publish(`${EMPTY_FOLDER}/b`)), 'E_PUBLISH_SEQUENCE_LAST'))
})

/** Publishers over HTTP that answer with a status. @returns what was put, by paths */
async function publisher(t: ExecutionContext, status: number) {
  const puts: Array<{ readonly path: string; readonly type: string | undefined; readonly body: Buffer }> = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    puts.push({ path: `${request.method} ${request.url}`, type: request.headers['content-type'], body: Buffer.concat(parts) })
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, puts }
}

test('publishers over HTTP take records of a node without routes', async t => {
  const { url, puts } = await publisher(t, 200)
  const host = await testHost({ node: { 'Ipns.DelegatedPublishers': [`${url}/routing/v1/ipns`] } })
  t.teardown(() => host.stop())
  const published = (await host.call('name/publish', { args: [EMPTY_FOLDER], options: { allowDelegated: true, resolve: false } })) as {
    Name: string
  }
  const { by, name } = await stranger()
  const record = await recordOf(by)
  await put(host, name, record, { allowDelegated: true })
  t.is(puts.length, 2, 'nothing was sent before that was asked for')
  await host.call('name/publish', { args: [`${EMPTY_FOLDER}/b`], options: { allowOffline: true, resolve: false } })
  t.is(puts.length, 2, 'nor is what is to stay here')
  const putsOfName = puts.filter(({ path }) => path === `PUT /routing/v1/ipns/${published.Name}`)
  t.is(readRecord(putsOfName.at(-1)!.body).path, EMPTY_FOLDER)
  const [other] = puts.filter(({ path }) => path === `PUT /routing/v1/ipns/${name}`)
  t.deepEqual([other?.type, other?.body], ['application/vnd.ipfs.ipns-record', Buffer.from(record)])
})

test('publishers get what is put on routes, too, and one that fails is no failure then', async t => {
  const [{ url, puts }, failing] = [await publisher(t, 200), await publisher(t, 500)]
  const host = await testHost({ node: { 'Ipns.DelegatedPublishers': [url, failing.url] } })
  t.teardown(() => host.stop())
  namesOf(host).addRoute(new Shelf().route())
  const { name } = await namesOf(host).publish(`${EMPTY_FOLDER}/a`)
  t.deepEqual(
    [...puts, ...failing.puts].map(({ path }) => path),
    Array(2).fill(`PUT /routing/v1/ipns/${name}`)
  )
})

test('where there is no publisher, or none takes a record, who asked for one is told', async t => {
  const without = await nodeWith(t)
  const publish = (host: NodeHost) => host.call('name/publish', { args: [EMPTY_FOLDER], options: { allowDelegated: true, resolve: false } })
  t.true(hasCode(await t.throwsAsync(publish(without)), 'E_PUBLISH_DELEGATED'))
  const { url } = await publisher(t, 503)
  const host = await testHost({ node: { 'Ipns.DelegatedPublishers': [url] } })
  t.teardown(() => host.stop())
  const error = await t.throwsAsync(publish(host))
  t.true(hasCode(error, 'E_PUBLISH_ROUTES'))
  t.true(error?.message.endsWith(`${url}: it answers 503`), error?.message)
  await t.throwsAsync(testHost({ node: { 'Ipns.DelegatedPublishers': ['nowhere'] } }), { message: /'nowhere' is no URL of HTTP/ })
})

test("a configuration of a newer Kubo, which leaves resolvers and publishers to its makers by 'auto', starts a node that has the usual ones", async t => {
  const host = await testHost({ node: { 'Ipns.DelegatedPublishers': ['auto'], 'DNS.Resolvers': { '.': 'auto', 'eth.': 'auto' } } })
  t.teardown(() => host.stop())
  t.is(host.service(Names)?.hasPublishers, false)
})
