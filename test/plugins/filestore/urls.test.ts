import test from 'ava'
import { decodeRecord, encodeRecord } from '../../../plugins/filestore/record.ts'
import { Urls } from '../../../plugins/filestore/urls.ts'
import { node, server } from './host.ts'

const CONTENT = 'what lies behind the URL, in several blocks'

/** Settings under which the servers of these tests may be asked. */
const LOCAL = { hosts: ['127.0.0.1'], privateAddresses: true }

/** Answers ranges of a text that can be changed. */
function text(initial: string) {
  const held = { text: initial, ranges: [] as string[], status: 206 }
  return {
    held,
    answer(request: { headers: { range?: string } }, response: import('node:http').ServerResponse) {
      const { range = '' } = request.headers
      held.ranges.push(range)
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
      response.statusCode = from === undefined && held.status === 206 ? 200 : held.status
      response.end(from === undefined ? held.text : held.text.slice(Number(from), Number(to) + 1))
    }
  }
}

test('what lies behind a URL is read from there in ranges, and is an error once it is something else', async t => {
  const { held, answer } = text(CONTENT)
  const url = `${await server(t, answer)}/some`
  const { hashOf, lines, cat, host } = await node(t, { settings: LOCAL })
  const hash = await hashOf(url, CONTENT, { chunker: 'size-20' })
  t.is(await cat(hash), CONTENT)
  t.deepEqual([...new Set(held.ranges)].sort(), ['bytes=0-19', 'bytes=20-39', 'bytes=40-42'])
  const statuses = async () => (await lines('filestore/verify', [], { fileOrder: true })).map(({ Status, ErrorMsg }) => [Status, ErrorMsg])
  t.deepEqual(
    await statuses(),
    [0, 0, 0].map(status => [status, ''])
  )
  held.text = CONTENT.toUpperCase()
  t.deepEqual((await statuses())[0], [12, `data in file did not match. ${url} offset 0`])
  await t.throwsAsync(cat(hash), { message: `data in file did not match. ${url} offset 0` })
  held.text = CONTENT.slice(0, 30)
  t.deepEqual((await statuses()).slice(1), [
    [12, 'unexpected EOF'],
    [12, 'EOF']
  ])
  held.status = 404
  t.deepEqual((await statuses())[0], [10, 'expected HTTP 200 or 206 got 404'])
  held.status = 206
  held.text = CONTENT
  const added = (await host.call('urlstore/add', { args: [url] })) as { Key: string; Size: number }
  t.is(added.Size, CONTENT.length)
  t.is(await cat(added.Key), CONTENT)
  await t.throwsAsync(host.call('urlstore/add', { args: ['ftp://x'] }), { message: 'unsupported url syntax: ftp://x' })
})

test('only hosts that the settings name are asked, and none of them without being named', async t => {
  const url = await server(t, (_, response) => response.end('x'))
  const none = await node(t)
  await t.throwsAsync(none.hashOf(`${url}/x`, 'x'), { code: 'E_REFERENCE_HOST', message: /plugins\.filestore\.hosts/ })
  const some = await node(t, { settings: { ...LOCAL, hosts: ['*.example.org', 'example.net'] } })
  for (const other of [url, 'http://example.org/x', 'http://example.net.evil.example/x', 'http://badexample.net/x']) {
    await t.throwsAsync(some.hashOf(other, 'x'), { code: 'E_REFERENCE_HOST' }, other)
  }
  t.deepEqual(await some.lines('filestore/ls'), [])
})

test('addresses of this machine and its network are not asked unless the settings say so, whatever their name', async t => {
  let asked = 0
  const url = await server(t, (_, response) => {
    asked++
    response.end('x')
  })
  const { hashOf } = await node(t, { settings: { hosts: ['*'] } })
  await t.throwsAsync(hashOf(`${url}/x`, 'x'), {
    code: 'E_REFERENCE_ADDRESS',
    message: /127\.0\.0\.1.*plugins\.filestore\.privateAddresses/
  })
  await t.throwsAsync(hashOf(url.replace('127.0.0.1', 'localhost'), 'x'), { code: 'E_REFERENCE_ADDRESS' })
  for (const host of ['2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', '169.254.169.254'])
    await t.throwsAsync(hashOf(`http://${host}/x`, 'x'), { code: 'E_REFERENCE_ADDRESS' }, host)
  t.is(asked, 0)
  const privateHosts = [
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '[fe80::1]',
    '[fd00::1]',
    '[::]',
    '[::ffff:10.0.0.1]'
  ]
  for (const host of privateHosts) await t.throwsAsync(hashOf(`http://${host}/x`, 'x'), { code: 'E_REFERENCE_ADDRESS' }, host)
  const urls = new Urls({ hosts: ['*'], privateAddresses: false, silenceMs: 1000 })
  for (const host of ['1.1.1.1', '172.32.0.1', '[2606:4700::1111]', '[::ffff:1.1.1.1]', '[64:ff9b::101:101]'])
    t.notThrows(() => urls.check(`http://${host}/x`), host)
})

test('redirects are followed to hosts that may be asked, and to no others', async t => {
  const end = await server(t, (_, response) => response.end('x'))
  let to = `${end}/x`
  const start = await server(t, (_, response) => response.writeHead(302, { location: to }).end())
  const { hashOf, cat } = await node(t, { settings: LOCAL })
  const hash = await hashOf(`${start}/x`, 'x')
  t.is(await cat(hash), 'x')
  to = 'http://elsewhere.example/x'
  await t.throwsAsync(cat(hash), { code: 'E_REFERENCE_HOST' })
  to = `${start}/again`
  await t.throwsAsync(cat(hash), { code: 'E_REFERENCE_REDIRECTS' })
})

test('a redirect leads to no file and no other protocol', async t => {
  let to = 'file:///etc/passwd'
  const start = await server(t, (_, response) => response.writeHead(302, { location: to }).end())
  const { hashOf } = await node(t, { settings: LOCAL })
  await t.throwsAsync(hashOf(`${start}/x`, 'x'), { message: 'Get "file:///etc/passwd": unsupported protocol scheme "file"' })
  to = 'ftp://127.0.0.1/x'
  await t.throwsAsync(hashOf(`${start}/x`, 'x'), { message: 'Get "ftp://127.0.0.1/x": unsupported protocol scheme "ftp"' })
})

test('a name is held to its addresses at each connection, all of them, so that one that is pointed elsewhere meanwhile leads nowhere', async t => {
  const answers = [
    ['93.184.216.34', '127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
    ['fd00::1'],
    ['fe80::1%lo'],
    ['64:ff9b::7f00:1']
  ]
  const asked: string[] = []
  const resolve = (name: string, _: unknown, answer: (error: null, found: object[]) => void) => {
    asked.push(name)
    answer(
      null,
      answers[asked.length - 1]!.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    )
  }
  const urls = new Urls({ hosts: ['rebound.example'], privateAddresses: false, silenceMs: 1000 }, resolve as never)
  for (const _ of answers) await t.throwsAsync(urls.read('http://rebound.example/x', 0, 1), { code: 'E_REFERENCE_ADDRESS' })
  t.is(asked.length, answers.length)
})

test('forms of this machine that the parser of URLs does not turn into an address are no allowed host either', t => {
  const urls = new Urls({ hosts: ['*'], privateAddresses: false, silenceMs: 1000 })
  for (const host of [
    '0177.0.0.1',
    '127.1',
    '0x7f000001',
    '017700000001',
    '①②⑦.0.0.1',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '0'
  ])
    t.throws(() => urls.check(`http://${host}/x`), { code: 'E_REFERENCE_ADDRESS' }, host)
  for (const url of ['http://127.0.0.1%00.example/x', 'http://a b/x']) t.throws(() => urls.check(url), { message: /no URL/ }, url)
})

test('a server that says nothing, and one that is not there, are given up', async t => {
  const silent = await server(t, () => {})
  const { hashOf } = await node(t, { settings: { ...LOCAL, silenceMs: 50 } })
  await t.throwsAsync(hashOf(`${silent}/x`, 'x'), { code: 'E_REFERENCE_SILENT', message: /plugins\.filestore\.silenceMs/ })
  const refused = await t.throwsAsync(hashOf('http://127.0.0.1:9/x', 'x'))
  t.is(refused?.message, 'Get "http://127.0.0.1:9/x": dial tcp 127.0.0.1:9: connect: connection refused')
})

test('a reference to a URL is none while only files may be referred to', async t => {
  const { hashOf } = await node(t, { settings: LOCAL, overrides: { 'Experimental.UrlstoreEnabled': false } })
  await t.throwsAsync(hashOf('http://127.0.0.1:9/x', 'x'), { message: 'urlstore is not enabled' })
})

test('records are those of the reference', t => {
  const record = { path: 'ä/b', offset: 300, size: 262_144 }
  t.is(Buffer.from(encodeRecord(record)).toString('hex'), '0a04c3a42f6210ac02188080' + '10')
  t.deepEqual(decodeRecord(encodeRecord(record)), record)
  t.deepEqual(decodeRecord(Buffer.from('0a01611802', 'hex')), { path: 'a', offset: 0, size: 2 })
  for (const broken of ['', '0a', '0a05', '1002', '0d00000000', '10ff'])
    t.throws(() => decodeRecord(Buffer.from(broken, 'hex')), { code: 'E_REFERENCE_RECORD' }, broken)
})

test('public addresses of this machine, and of a network that it is in, are its own too, whatever their name', async t => {
  const of = (address: string, cidr: string | null, family: string) => [{ address, cidr, family }]
  const interfaces = () => ({
    a: of('93.184.216.34', '93.184.216.34/24', 'IPv4'),
    b: of('2606:2800:220:1::7', '2606:2800:220:1::7/64', 'IPv6'),
    c: of('8.8.4.4', null, 'IPv4')
  })
  const resolve = (_: string, __: unknown, answer: (error: null, found: object[]) => void) =>
    answer(null, [{ address: '93.184.216.34', family: 4 }])
  const urls = new Urls({ hosts: ['*'], privateAddresses: false, silenceMs: 1000 }, resolve as never, interfaces as never)
  const localHosts = ['93.184.216.34', '93.184.216.99', '[::ffff:93.184.216.34]', '[64:ff9b::5db8:d822]', '[2606:2800:220:1::8]', '8.8.4.4']
  for (const host of localHosts) t.throws(() => urls.check(`http://${host}/x`), { code: 'E_REFERENCE_ADDRESS' }, host)
  for (const host of ['93.184.217.1', '[2606:2800:220:2::1]', '8.8.8.8']) t.notThrows(() => urls.check(`http://${host}/x`), host)
  await t.throwsAsync(urls.read('http://own.example/x', 0, 1), { code: 'E_REFERENCE_ADDRESS' })
  const open = new Urls({ hosts: ['*'], privateAddresses: true, silenceMs: 1000 }, resolve as never, interfaces as never)
  t.notThrows(() => open.check('http://93.184.216.34/x'))
})
