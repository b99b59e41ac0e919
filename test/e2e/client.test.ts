import test, { type ExecutionContext } from 'ava'
import { create, type KuboRPCClient } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import { repoOf } from '../../host/create.ts'
import { openRpc } from '../../host/rpc/listener.ts'
import { testHost } from '../../host/testing.ts'
import { all } from '../helpers/streams.ts'

/** The published client, talking to a node in memory. */
async function client(t: ExecutionContext): Promise<KuboRPCClient> {
  const host = await testHost()
  const rpc = await openRpc({ calls: host.calls, repo: repoOf(host), host, logs: host.logs, addresses: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(async () => {
    await rpc.close()
    await host.stop()
  })
  return create({ url: `http://127.0.0.1:${rpc.addresses[0]!.split('/').at(-1)}` })
}

const text = async (bytes: AsyncIterable<Uint8Array>) => Buffer.concat(await all(bytes)).toString()
const absent = CID.parse('QmPZ9gcCEpqKTo6aq61g2nXGUhM4iCL3ewB6LDXZCtioEB')

test('files and folders are added, listed and read', async t => {
  const ipfs = await client(t)
  const added = await all(
    ipfs.addAll(
      [
        { path: 'd/a b.txt', content: 'one' },
        {
          path: 'd/é/ü.txt',
          content: (async function* () {
            yield Buffer.from('two')
          })()
        },
        { path: 'd/empty' }
      ],
      { pin: false }
    )
  )
  t.deepEqual(added.map(({ path }) => path).sort(), ['d', 'd/a b.txt', 'd/empty', 'd/é', 'd/é/ü.txt'])
  const root = added.at(-1)!.cid
  t.is(await text(ipfs.cat(`/ipfs/${root}/é/ü.txt`)), 'two')
  t.is(await text(ipfs.cat(`/ipfs/${root}/a b.txt`, { offset: 1, length: 1 })), 'n')
  t.deepEqual(
    (await all(ipfs.ls(root))).map(({ name, type }) => [name, type]),
    [
      ['a b.txt', 'file'],
      ['empty', 'dir'],
      ['é', 'dir']
    ]
  )
})

test('a large file goes in and comes out as it was', async t => {
  const ipfs = await client(t)
  const content = Buffer.alloc(3_000_000, 'holdfast')
  const { cid } = await ipfs.add({ content }, { pin: false })
  const read = Buffer.concat(await all(ipfs.cat(cid)))
  t.true(read.equals(content))
})

test('blocks and nodes are stored and read', async t => {
  const ipfs = await client(t)
  const cid = await ipfs.block.put(Buffer.from('block'))
  t.is(Buffer.from(await ipfs.block.get(cid)).toString(), 'block')
  t.is((await ipfs.block.stat(cid)).size, 5)
  const node = await ipfs.dag.put({ a: [1, 'x', cid] })
  t.is((await ipfs.dag.get(node, { path: '/a/1' })).value, 'x')
  t.deepEqual(await all(ipfs.block.rm([cid])), [{ cid }])
})

test('errors reach the caller with their text', async t => {
  const ipfs = await client(t)
  await t.throwsAsync(ipfs.block.stat(absent), { message: `block was not found locally (offline): ipld: could not find ${absent}` })
  await t.throwsAsync(text(ipfs.cat('nope')), { message: /path does not have enough components/ })
})

test('a caller that gives up is let go, and the next one is served', async t => {
  const ipfs = await client(t)
  const controller = new AbortController()
  const adding = ipfs.add(
    (async function* () {
      for (let i = 0; i < 1000; i++) {
        if (i === 20) controller.abort()
        yield Buffer.alloc(65_536)
        await new Promise(resolve => setImmediate(resolve))
      }
    })(),
    { signal: controller.signal, pin: false }
  )
  await t.throwsAsync(adding, { name: 'AbortError' })
  t.is((await ipfs.version()).version, '0.28.0')
})

test('names are published, resolved and read by', async t => {
  const ipfs = await client(t)
  const { cid } = await ipfs.add('named')
  const { id } = await ipfs.key.gen('site')
  const published = await ipfs.name.publish(cid, { key: 'site', allowOffline: true, lifetime: '1h', ttl: '1m' })
  t.deepEqual(published, { name: id, value: `/ipfs/${cid}` })
  t.deepEqual(await all(ipfs.name.resolve(id)), [`/ipfs/${cid}`])
  t.is(await text(ipfs.cat(`/ipns/${id}`)), 'named')
  await t.throwsAsync(all(ipfs.name.resolve('/ipns/')), { message: /does not have enough components/ })
  t.is((await ipfs.name.pubsub.state()).enabled, false)
})
