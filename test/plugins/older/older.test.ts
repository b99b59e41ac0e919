import test from 'ava'
import tar from 'tar-stream'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'
import { dnsServer } from './dns-server.ts'

type Teardown = { teardown(end: () => unknown): void }

const FOLDER = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
const EMPTY = 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n'

async function node(t: Teardown, settings: Record<string, unknown> = {}) {
  const host = await testHost({ configuration: { plugins: { older: Object.keys(settings).length > 0 ? settings : 'on' } } })
  t.teardown(() => host.stop())
  const hash = async (path: string, request: Parameters<typeof host.call>[1]) => ((await host.call(path, request)) as { Hash: string }).Hash
  const put = (object: unknown, options = {}) => hash('object/put', { options, body: upload(JSON.stringify(object)) })
  const add = async (files: Parameters<typeof upload>[0], options = {}) => {
    const lines = await itemsOf<{ Name: string; Hash: string }>(await host.call('add', { options, body: upload(files) }))
    return Object.fromEntries(lines.map(({ Name, Hash }) => [Name, Hash]))
  }
  const octets = async (path: string, args: string[]) => Buffer.concat(await itemsOf<Uint8Array>(await host.call(path, { args })))
  return { host, hash, put, add, octets }
}

test('without a word in the configuration the old commands are off, and the removed ones say what replaced them', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  await t.throwsAsync(host.call('object/get', { args: [FOLDER] }), { message: "removed, use 'ipfs dag' or 'ipfs files' instead" })
  const paths = host.commands().map(({ path }) => path)
  for (const path of ['dns', 'tar/add', 'config/edit']) t.false(paths.includes(path), path)
})

test('one line brings the old commands, also where others say that they are gone, and another line takes those away', async t => {
  const { host } = await node(t)
  t.deepEqual(await host.call('object/get', { args: [FOLDER] }), { Links: [], Data: '\b\x01' })
  await t.throwsAsync(host.call('dht/get'), { message: "removed, use 'ipfs routing' instead" })
  const bare = await testHost({ configuration: { plugins: { removed: 'off', object: 'off' } } })
  t.teardown(() => bare.stop())
  const paths = bare.commands().map(({ path }) => path)
  for (const path of ['object/get', 'dht/get', 'object/diff', 'object/patch/add-link']) t.false(paths.includes(path), path)
})

test('an object is made, read, described and changed', async t => {
  const { host, hash, put, octets } = await node(t)
  t.is(await hash('object/new', {}), EMPTY)
  t.is(await hash('object/new', { args: ['unixfs-dir'] }), FOLDER)
  const inner = await put({ Data: 'inner' })
  const outer = await put(
    {
      Data: 'b3V0ZXI=',
      Links: [
        { Name: 'z', Hash: inner, Size: 7 },
        { Name: 'a', Hash: inner, Size: 7 }
      ]
    },
    { datafieldenc: 'base64' }
  )
  t.is((await octets('object/data', [outer])).toString(), 'outer')
  const links = [
    { Name: 'a', Hash: inner, Size: 7 },
    { Name: 'z', Hash: inner, Size: 7 }
  ].map(link => ({ ...link, Size: BigInt(link.Size) }))
  t.deepEqual(await host.call('object/links', { args: [outer] }), { Hash: outer, Links: links })
  t.deepEqual(await host.call('object/links', { args: [`${outer}/a`] }), { Hash: inner })
  t.deepEqual(await host.call('object/get', { args: [outer], options: { dataEncoding: 'base64' } }), { Links: links, Data: 'b3V0ZXI=' })
  t.deepEqual(await host.call('object/stat', { args: [outer] }), {
    Hash: outer,
    NumLinks: 2,
    BlockSize: 93,
    LinksSize: 88,
    DataSize: 5,
    CumulativeSize: 107n
  })
  const more = await hash('object/patch/append-data', { args: [outer], body: upload(' space') })
  t.is((await octets('object/data', [more])).toString(), 'outer space')
  t.like(await host.call('object/links', { args: [more] }), { Links: links })
  t.is(await hash('object/patch/set-data', { args: [more], body: upload('outer') }), outer)
  const block = await octets('block/get', [outer])
  t.is(await hash('object/put', { options: { inputenc: 'protobuf', pin: true }, body: upload(block) }), outer)
  t.like(await host.call('pin/ls', { args: [outer] }), { Keys: { [outer]: { Type: 'recursive' } } })
})

test('input that is no object is refused with what is wrong with it', async t => {
  const { host, put } = await node(t, { maxInput: 1000 })
  await t.throwsAsync(put({ Dato: 'x' }), { code: 'E_OBJECT_FIELD', message: 'json: unknown field "Dato"' })
  await t.throwsAsync(put({}), { message: 'no data or links in this node' })
  await t.throwsAsync(put({ Data: 7 }), { code: 'E_OBJECT_INPUT' })
  await t.throwsAsync(put({ Data: '*' }, { datafieldenc: 'base64' }), { code: 'E_OBJECT_INPUT' })
  await t.throwsAsync(put({ Data: 'x' }, { datafieldenc: 'hex' }), { message: 'unkown data field encoding' })
  await t.throwsAsync(put({ Data: 'x' }, { inputenc: 'xml' }), { message: 'unknown object encoding' })
  await t.throwsAsync(put({ Data: 'x'.repeat(1000) }), { code: 'E_OBJECT_TOO_LONG', message: /1000 bytes.*plugins\.older\.maxInput/ })
  await t.throwsAsync(host.call('object/new', { args: ['chair'] }), { message: 'unknown node type: chair' })
})

test('files and folders are listed with the sizes of files, each object once', async t => {
  const { host, add } = await node(t)
  const { d, 'd/a': a, 'd/sub': sub } = await add({ 'd/a': 'four', 'd/sub/b': 'b' })
  t.deepEqual(await host.call('file/ls', { args: [d!, `${d}/a`, a!] }), {
    Arguments: { [d!]: d, [`${d}/a`]: a, [a!]: a },
    Objects: {
      [a!]: { Hash: a, Size: 4, Type: 'File', Links: null },
      [d!]: {
        Hash: d,
        Size: 0,
        Type: 'Directory',
        Links: [
          { Name: 'a', Hash: a, Size: 4, Type: 'File' },
          { Name: 'sub', Hash: sub, Size: 56n, Type: 'Directory' }
        ]
      }
    }
  })
  t.deepEqual(await host.call('file/ls', { args: [FOLDER] }), {
    Arguments: { [FOLDER]: FOLDER },
    Objects: { [FOLDER]: { Hash: FOLDER, Size: 0, Type: 'Directory', Links: [] } }
  })
  const raw = await add({ raw: 'raw' }, { rawLeaves: true })
  await t.throwsAsync(host.call('file/ls', { args: [raw['raw']!] }), { message: 'expected protobuf dag node' })
})

test('a folder with more entries than the setting allows is not listed', async t => {
  const { host, add } = await node(t, { maxEntries: 2 })
  const { d } = await add({ 'd/a': 'a', 'd/b': 'b', 'd/c': 'c' })
  await t.throwsAsync(host.call('file/ls', { args: [d!] }), { code: 'E_FILE_LS_TOO_LONG', message: /plugins\.older\.maxEntries/ })
})

/** An archive with long names, a folder, a link and a file of several blocks; and its bytes without the end. */
async function archive(): Promise<Buffer> {
  const pack = tar.pack()
  pack.entry({ name: 'd', type: 'directory' })
  pack.entry({ name: 'd/file' }, 'content of the file')
  pack.entry({ name: `d/${'long/'.repeat(40)}name` }, 'x'.repeat(700))
  pack.entry({ name: 'd/same', type: 'link', linkname: 'd/file' })
  pack.finalize()
  return Buffer.concat(await itemsOf<Uint8Array>(pack))
}

test('an archive comes out as it went in, and its files are objects of their own', async t => {
  const { host, hash, octets } = await node(t)
  const whole = await archive()
  const root = await hash('tar/add', { body: upload({ 'some/a.tar': whole }) })
  t.like(await host.call('tar/add', { body: upload({ 'some/a.tar': whole }) }), { Name: 'a.tar', Hash: root })
  const back = await octets('tar/cat', [root])
  const entries = async (bytes: Buffer) => {
    const found: Record<string, string> = {}
    const extract = tar.extract()
    extract.end(bytes)
    for await (const entry of extract) found[entry.header.name] = Buffer.concat(await itemsOf<Uint8Array>(entry)).toString()
    return found
  }
  t.deepEqual(await entries(Buffer.concat([back, Buffer.alloc(1024)])), await entries(whole))
  t.is(back.length % 512, 0)
  t.is((await octets('cat', [`${root}/-d/-file/data`])).toString(), 'content of the file')
  t.is((await octets('object/data', [root])).toString(), 'ipfs/tar')
})

test('what is no archive, and one with more entries than the setting allows, are refused', async t => {
  const { host, octets } = await node(t, { maxEntries: 20 })
  await t.throwsAsync(host.call('tar/add', { body: upload('no archive'.repeat(100)) }), { code: 'E_TAR' })
  await t.throwsAsync(host.call('tar/add', { body: upload(await archive()) }), {
    code: 'E_TAR_ENTRIES',
    message: /plugins\.older\.maxEntries/
  })
  await t.throwsAsync(octets('tar/cat', [FOLDER]), { message: 'not an IPFS tarchive' })
})

test('domains are followed from name to name, those of _dnslink first, and what lies below them is kept', async t => {
  const server = await dnsServer(t, {
    'one.example': ['v=spf1 -all', `dnslink=/ipfs/${EMPTY}`],
    '_dnslink.one.example': [`dnslink=/ipfs/${FOLDER}/sub/`],
    '_dnslink.two.example': ['dnslink=/ipns/one.example'],
    'bare.example': [FOLDER],
    '_dnslink.loop.example': ['dnslink=/ipns/loop.example'],
    '_dnslink.key.example': ['dnslink=/ipns/k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8']
  })
  const { host } = await node(t, { dnsServers: [server] })
  const path = async (name: string, recursive = true) =>
    ((await host.call('dns', { args: [name], options: { recursive } })) as { Path: string }).Path
  t.is(await path('one.example/x'), `/ipfs/${FOLDER}/sub/x`)
  t.is(await path('two.example'), `/ipfs/${FOLDER}/sub/`)
  t.is(await path('two.example', false), '/ipns/one.example')
  t.is(await path('bare.example.'), `/ipfs/${FOLDER}`)
  await t.throwsAsync(path('loop.example'), { message: 'could not resolve name (recursion limit exceeded)' })
  await t.throwsAsync(path('none.example'), { message: 'could not resolve name' })
  for (const name of ['localhost', '', 'a..example', '127.0.0.1', '-.example']) await t.throwsAsync(path(name), { code: 'E_DOMAIN' }, name)
  for (const name of ['key.example']) await t.throwsAsync(path(name), { code: 'E_DOMAIN' }, name)
})

test('locks free themselves, so a check of the file system does nothing', async t => {
  const { host } = await node(t)
  t.deepEqual(await host.call('repo/fsck'), { Message: '`ipfs repo fsck` is deprecated and does nothing.\n' })
})
