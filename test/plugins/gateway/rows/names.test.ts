/** Names: where DNSLinks and records lead, and those that are refused. */
import { generateKeyPair } from '@libp2p/crypto/keys'
import { createIPNSRecord, createIPNSRecordWithExpiration, marshalIPNSRecord } from 'ipns'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { Names, ready, TxtResolver } from '../../../../core/index.ts'
import { routingKey } from '../../../../core/ipns/index.ts'
import { Shelf } from '../../name/helpers.ts'
import { withFields } from '../trustless/record-fields.ts'
import { content } from './content.ts'
import { asked, hold, onHost, type Row, type Setting } from './table.ts'

const SEVERAL = /returned more than one IPFS content path; ask domain owner to remove duplicate TXT records\n$/
/** Kinds of records that nobody is to be sent. */
const BAD = ['V1_ONLY', 'BAD_SIGNATURE', 'TWO_VALUES', 'OVER', 'FOREIGN', 'NONE']

const ROWS: readonly Row[] = [
  {
    title: 'a path',
    path: '/ipns/path.example/a.txt',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'x-ipfs-path': '/ipns/path.example/a.txt', 'x-ipfs-roots': '{SITE},{A}', 'cache-control': undefined }
  },
  {
    title: 'a path below a root, and that of the request behind it',
    path: '/ipns/below.example/x.txt',
    status: 200,
    text: 'x',
    fields: { 'x-ipfs-roots': '{SITE},{DOCS},{X}' }
  },
  { title: 'a CID alone', path: '/ipns/cid.example/a.txt', status: 200, text: 'hello gateway\n' },
  { title: 'a text without dnslink=', path: '/ipns/bare.example/a.txt', status: 200, text: 'hello gateway\n' },
  { title: 'a name of another', path: '/ipns/named.example/a.txt', status: 200, text: 'hello gateway\n' },
  { title: 'a key', path: '/ipns/keyed.example/', status: 200, text: 'hello gateway\n' },
  {
    title: 'as a host',
    host: 'below.example',
    path: '/x.txt',
    status: 200,
    text: 'x',
    fields: { 'x-ipfs-path': '/ipns/below.example/x.txt' }
  },
  { title: 'other texts beside it', path: '/ipns/beside.example/a.txt', status: 200, text: 'hello gateway\n' },
  { title: 'two paths', path: '/ipns/two.example/', status: 500, text: SEVERAL },
  {
    title: 'no path',
    path: '/ipns/none.example/',
    status: 500,
    text: /^failed to resolve \/ipns\/none\.example\/: .*could not find a TXT record/
  },
  { title: 'a name that leads to itself', path: '/ipns/circle.example/', status: 400, text: /recursion limit exceeded/ },
  {
    title: 'what is neither a key nor a domain',
    path: '/ipns/QmInvalid/x',
    status: 500,
    text: /^failed to resolve \/ipns\/QmInvalid\/x: /
  },
  { title: 'only _dnslink. is asked', path: '/ipns/root.example/', status: 500 },
  {
    title: 'the ending of a name is no file type',
    path: '/ipns/man.pdf',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'content-type': 'text/plain; charset=utf-8' }
  },

  {
    title: 'a record: where it leads',
    path: '/ipns/{GOOD}',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'cache-control': 'public, max-age=60', etag: '"{A}"', 'last-modified': /GMT$/ }
  },
  { title: 'a record: a path below', path: '/ipns/{GOOD}/x', status: 404, text: /no link named "x" under {A}\n$/ },
  { title: 'a bad signature of the first version counts for nothing', path: '/ipns/{BAD_V1}', status: 200, text: 'hello gateway\n' },
  {
    title: 'a record itself',
    path: '/ipns/{GOOD}?format=ipns-record',
    status: 200,
    fields: {
      'content-type': 'application/vnd.ipfs.ipns-record',
      'content-disposition': /^attachment; filename="{GOOD}\.ipns-record"/,
      'cache-control': 'public, max-age=60',
      'x-content-type-options': 'nosniff',
      etag: /^"[0-9a-v]+"$/,
      'last-modified': undefined,
      'accept-ranges': undefined
    }
  },
  asked('a record, by Accept', '/ipns/{GOOD}', { accept: 'application/vnd.ipfs.ipns-record' }, 200, {
    fields: { 'content-location': '/ipns/{GOOD}?format=ipns-record', vary: 'Accept' }
  }),
  asked('a record that the client has', '/ipns/{GOOD}?format=ipns-record', { 'if-none-match': '*' }, 304, {
    text: '',
    fields: { etag: /^"[0-9a-v]+"$/, 'cache-control': 'public, max-age=60', 'content-type': undefined }
  }),
  { title: 'of what is no name', path: '/ipfs/{A}?format=ipns-record', status: 400, text: '/ipfs/{A} is not an IPNS link\n' },
  { title: 'of a path below a name', path: '/ipns/{GOOD}/x?format=ipns-record', status: 400, text: 'cannot find ipns key for subpath\n' },
  {
    title: 'of a DNSLink',
    path: '/ipns/path.example?format=ipns-record',
    status: 400,
    text: '"path.example" is no key: a DNSLink name has no IPNS record of its own\n'
  },
  { title: 'of a key that nobody knows', path: '/ipns/{UNKNOWN}?format=ipns-record', status: 500, text: 'routing: not found\n' },
  ...BAD.flatMap((name): Row[] => [
    {
      title: `a record that is not good (${name}) leads nowhere`,
      path: `/ipns/{${name}}`,
      status: 500,
      text: new RegExp(`^failed to resolve /ipns/{${name}}: could not resolve name\n$`),
      fields: { 'cache-control': undefined }
    },
    onHost(`nor does it as a host`, `{${name}}.ipns.localhost`, '/', 500, /could not resolve name\n$/),
    {
      title: `and is not sent`,
      path: `/ipns/{${name}}?format=ipns-record`,
      status: 500,
      fields: { 'cache-control': undefined, etag: undefined }
    }
  ]).map((row, i) => ({ ...row, title: `${row.title} (${BAD[Math.floor(i / 3)]})` }))
]

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

async function named(t: Parameters<typeof content>[0]): Promise<Setting> {
  const texts = new Map<string, readonly string[]>()
  const resolver = { texts: async (domain: string) => texts.get(domain) ?? [] }
  const { at, names } = await content(t, { services: [ready(TxtResolver, resolver)] })
  const shelf = new Shelf()
  at.host.service(Names)!.addRoute(shelf.route())
  const path = `/ipfs/${names['A']}`
  const shelved = async (make: (key: KeyPair) => Promise<Uint8Array>): Promise<string> => {
    const key = await generateKeyPair('Ed25519')
    const multihash = key.publicKey.toMultihash()
    shelf.records.set(Buffer.from(routingKey(multihash.bytes)).toString('hex'), [await make(key)])
    return CID.createV1(0x72, multihash).toString(base36)
  }
  const record = async (key: KeyPair) =>
    marshalIPNSRecord(await createIPNSRecord(key, path, 1n, 3_600_000, { ttlNs: 60_000_000_000n, v1Compatible: true }))
  // fields of the record's protobuf
  const [VALUE, SIGNATURE_V1, SIGNATURE_V2, DATA] = [1, 2, 8, 9]
  const spoiled = (change: (field: number, bytes: Uint8Array) => Uint8Array | undefined) => async (key: KeyPair) =>
    withFields(await record(key), change)
  const GOOD = await shelved(record)
  const made = {
    ...names,
    GOOD,
    BAD_V1: await shelved(spoiled((field, bytes) => (field === SIGNATURE_V1 ? bytes.fill(7) : bytes))),
    V1_ONLY: await shelved(spoiled((field, bytes) => (field === SIGNATURE_V2 || field === DATA ? undefined : bytes))),
    BAD_SIGNATURE: await shelved(spoiled((field, bytes) => (field === SIGNATURE_V2 ? bytes.fill(7) : bytes))),
    TWO_VALUES: await shelved(spoiled((field, bytes) => (field === VALUE ? Buffer.from('/ipfs/bafkqaaa') : bytes))),
    OVER: await shelved(async key =>
      marshalIPNSRecord(await createIPNSRecordWithExpiration(key, path, 1n, '2020-01-01T00:00:00.000000000Z'))
    ),
    FOREIGN: await shelved(async () => record(await generateKeyPair('Ed25519'))),
    NONE: await shelved(async () => Buffer.from('no record')),
    UNKNOWN: 'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8'
  }
  const site = `/ipfs/${names['SITE']}`
  for (const [name, ...lines] of [
    ['path.example', `dnslink=${site}`],
    ['below.example', `dnslink=${site}/docs`],
    ['cid.example', `dnslink=${names['SITE']}`],
    ['bare.example', site],
    ['named.example', 'dnslink=/ipns/path.example'],
    ['keyed.example', `dnslink=/ipns/${GOOD}`],
    ['beside.example', 'v=spf1 -all', `dnslink=${site}`],
    ['two.example', `dnslink=${site}`, `dnslink=${site}/docs`],
    ['none.example', 'dnslink=nothing'],
    ['circle.example', 'dnslink=/ipns/circle.example'],
    ['man.pdf', `dnslink=${path}`]
  ] as const)
    texts.set(`_dnslink.${name}.`, lines)
  texts.set('root.example.', [`dnslink=${site}`])
  return { at, names: made }
}

hold('names', named, ROWS)
