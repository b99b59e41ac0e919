/** Records of keys, which the gateway hands on only where they are good. */
import { createServer, type ServerResponse } from 'node:http'
import { generateKeyPair } from '@libp2p/crypto/keys'
import test, { type ExecutionContext } from 'ava'
import { createIPNSRecord, createIPNSRecordWithExpiration, marshalIPNSRecord } from 'ipns'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { Reply } from '../../../../plugins/gateway/reply/reply.ts'
import { ContentRequest } from '../../../../plugins/gateway/request/content.ts'
import { chooseFormat } from '../../../../plugins/gateway/request/format.ts'
import { parsePath } from '../../../../plugins/gateway/request/path.ts'
import type { GatewayServices } from '../../../../plugins/gateway/services.ts'
import { answerRecord } from '../../../../plugins/gateway/trustless/record.ts'
import { withFields } from './record-fields.ts'

const CONTENT = '/ipfs/bafkqac3imvwgy3zao5xxe3de'

/** Answers requests for records, of which there is this one for every name. */
async function serving(t: ExecutionContext, record: Uint8Array | undefined, names: object = { record: async () => record }) {
  const server = createServer((request, response) => {
    const end = (response: ServerResponse, last?: string | Uint8Array, encoding?: BufferEncoding) =>
      void response.end(last, encoding ?? 'utf8')
    const reply = new Reply(request, response, { headers: [], addsHeaders: false, htmlErrors: false, stalledTimeoutMs: 0 }, end)
    const { pathname, searchParams: query } = new URL(request.url!, 'http://gateway')
    const site = { rawPath: pathname, rawQuery: '', isIsolated: false, linkBase: '', dnsLink: undefined }
    const choice = chooseFormat(request, query.get('format'))
    const content = { reply, path: parsePath(pathname), site, query, choice, options: {}, sources: undefined as never, name: undefined }
    answerRecord(new ContentRequest(content), { names } as unknown as GatewayServices).catch(error => reply.error(error))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}?format=ipns-record`, init)
}

async function signed(ttlMs = 60_000) {
  const key = await generateKeyPair('Ed25519')
  const name = CID.createV1(0x72, key.publicKey.toMultihash()).toString(base36)
  const record = await createIPNSRecord(key, CONTENT, 3n, 3_600_000, { ttlNs: BigInt(ttlMs) * 1_000_000n, v1Compatible: true })
  return { key, name, bytes: marshalIPNSRecord(record) }
}

test('a good record is sent as it was signed, with its lifetime', async t => {
  const { name, bytes } = await signed()
  const get = await serving(t, bytes)
  const response = await get(`/ipns/${name}`)
  t.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from(bytes))
  t.like(Object.fromEntries(response.headers), {
    'content-type': 'application/vnd.ipfs.ipns-record',
    'cache-control': 'public, max-age=60',
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename="${name}.ipns-record"; filename*=UTF-8''${name}.ipns-record`,
    'content-length': String(bytes.length)
  })
  const head = await get(`/ipns/${name}/`, { method: 'HEAD' })
  t.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)])
  // nobody takes it for the newest for longer than it is good
  const { name: other, bytes: eternal } = await signed(10 * 3_600_000)
  const age = /max-age=(\d+)/.exec((await (await serving(t, eternal))(`/ipns/${other}`)).headers.get('cache-control')!)!
  t.true(Number(age[1]) <= 3600)
})

test('a record of the first version alone, with a bad signature, or that says two things is refused', async t => {
  const { name, bytes, key } = await signed()
  const VALUE = 1
  const SIGNATURE_V2 = 8
  const DATA = 9
  t.deepEqual(Buffer.from(withFields(bytes, (_, field) => field)), Buffer.from(bytes))
  const expired = await createIPNSRecordWithExpiration(key, CONTENT, 4n, '2020-01-01T00:00:00.000000000Z')
  const foreign = await signed()
  for (const [what, record] of [
    ['of the first version alone', withFields(bytes, (field, value) => (field === SIGNATURE_V2 || field === DATA ? undefined : value))],
    ['with a bad signature', withFields(bytes, (field, value) => (field === SIGNATURE_V2 ? value.fill(7) : value))],
    [
      'that says two things',
      withFields(bytes, (field, value) => (field === VALUE ? Buffer.from(CONTENT.replace('hello', 'other').replace('3de', '3df')) : value))
    ],
    ['that is over', marshalIPNSRecord(expired)],
    ['of another key', foreign.bytes],
    ['that is none', Buffer.from('none')]
  ] as const) {
    const response = await (await serving(t, record))(`/ipns/${name}`)
    t.is(response.status, 500, what)
    t.true((await response.text()).startsWith(`the IPNS record of ${name} that was found is not good: `), what)
    t.is(response.headers.get('cache-control'), null)
  }
})

test('what has no record is told apart', async t => {
  const { name, bytes } = await signed()
  const get = await serving(t, bytes)
  for (const [path, status, text] of [
    ['/ipfs/bafkqaaa', 400, '/ipfs/bafkqaaa is not an IPNS link\n'],
    [`/ipns/${name}/a`, 400, 'cannot find ipns key for subpath\n'],
    ['/ipns/example.com', 400, '"example.com" is no key: a DNSLink name has no IPNS record of its own\n']
  ] as const) {
    const response = await get(path)
    t.deepEqual([response.status, await response.text()], [status, text])
  }
  const unknown = await (await serving(t, undefined))(`/ipns/${name}`)
  t.deepEqual([unknown.status, await unknown.text()], [500, 'routing: not found\n'])
  const without = await (await serving(t, undefined, {}))(`/ipns/${name}`)
  t.deepEqual([without.status, await without.text()], [501, 'IPNS Record responses are not supported by this gateway\n'])
})
