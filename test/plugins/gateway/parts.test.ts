import test from 'ava'
import { CID } from 'multiformats/cid'
import type { Json } from '../../../core/index.ts'
import { formatSize } from '../../../plugins/gateway/answer/entries.ts'
import { readConfig } from '../../../plugins/gateway/config.ts'
import { parseHost } from '../../../plugins/gateway/hosts/host.ts'
import { KnownHosts } from '../../../plugins/gateway/hosts/known.ts'
import { inlined, labelOfCid, uninlined } from '../../../plugins/gateway/hosts/label.ts'
import { findRule, parseRules } from '../../../plugins/gateway/redirects/rules.ts'
import { disposition } from '../../../plugins/gateway/reply/disposition.ts'
import { parseRanges, spansOf } from '../../../plugins/gateway/reply/ranges.ts'
import { parseTarget } from '../../../plugins/gateway/request/target.ts'
import { typeByName } from '../../../plugins/gateway/types/names.ts'
import { sniff } from '../../../plugins/gateway/types/sniff.ts'

test('types are told by the first bytes of a file', t => {
  const types: ReadonlyArray<readonly [string, string]> = [
    ['image/png', '\x89PNG\r\n\x1a\n…'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/webp', 'RIFF\0\0\0\0WEBPVP8 '],
    ['audio/wav', 'RIFF\0\0\0\0WAVEfmt '],
    ['image/avif', '\0\0\0\x20ftypavif'],
    ['video/mp4', '\0\0\0\x20ftypisom'],
    ['video/quicktime', '\0\0\0\x14ftypqt  '],
    ['video/webm', '\x1a\x45\xdf\xa3\x01\0\0\0webm'],
    ['video/x-matroska', '\x1a\x45\xdf\xa3\x01\0\0\0matroska'],
    ['application/pdf', '%PDF-1.7'],
    ['application/gzip', '\x1f\x8b\x08'],
    ['application/x-tar', `${'a'.repeat(257)}ustar\0`],
    ['application/wasm', '\0asm\x01'],
    ['font/woff2', 'wOF2'],
    ['text/html', '  <!DOCTYPE html><p>'],
    ['text/html', '<html lang="en">'],
    ['image/svg+xml', '<svg xmlns="x"/>'],
    ['image/svg+xml', '<?xml version="1.0"?>\n<svg xmlns="x"/>'],
    ['text/xml; charset=utf-8', '<?xml version="1.0"?><feed/>'],
    ['application/json', '[1, {"a": null}]'],
    ['text/plain; charset=utf-8', '{no json}'],
    ['text/plain; charset=utf-8', '\xc5\xbc'],
    ['text/plain; charset=iso-8859-1', 'caf\xe9'],
    ['text/plain; charset=utf-16le', '\xff\xfea\0'],
    ['application/octet-stream', 'a\0b'],
    ['text/plain', '']
  ]
  for (const [type, bytes] of types) t.is(sniff(Buffer.from(bytes, 'latin1')), type, JSON.stringify(bytes))
})

test('a text whose beginning ends within a letter or a value is still that text', t => {
  t.is(sniff(Buffer.from(`${'a'.repeat(3071)}ż and more`)), 'text/plain; charset=utf-8')
  t.is(sniff(Buffer.from(JSON.stringify({ long: 'x'.repeat(4000) }))), 'application/json')
})

test('a hostile beginning takes no longer than another', t => {
  for (const text of [
    `<?xml ${'<'.repeat(5000)}`,
    `<!--${'-'.repeat(5000)}`,
    ' '.repeat(5000),
    '['.repeat(5000),
    '\xef\xbb\xbf'.repeat(1000)
  ]) {
    t.true(sniff(Buffer.from(text, 'latin1')).includes('/'))
  }
})

test('types are told by the endings of names', t => {
  t.is(typeByName('a.tar.GZ'), 'application/gzip')
  t.is(typeByName('page.HTML'), 'text/html')
  t.is(typeByName('x.md'), 'text/markdown; charset=utf-8')
  for (const none of ['none', 'a.', 'x.constructor', undefined]) t.is(typeByName(none), undefined)
})

test('ranges are read, held against the size, and refused where they cannot be', t => {
  const shown = (field: string, size: bigint) => {
    const spans = spansOf(parseRanges(field), size, 4)
    return spans.kind === 'some' ? spans.spans.map(({ start, length }) => `${start}+${length}`).join(' ') : spans.kind
  }
  const rows: ReadonlyArray<readonly [field: string, spans: string, size?: bigint]> = [
    ['bytes=0-0', '0+1'],
    ['bytes=2-', '2+8'],
    ['bytes=-3', '7+3'],
    ['bytes=-30', '0+10'],
    ['bytes=9-99', '9+1'],
    ['bytes=10-', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=0-1, 20-, -1', '0+2 9+1'],
    ['bytes=0-,0-', 'all'],
    ['bytes=0-0,1-1,2-2,3-3,4-4', 'all'],
    ['bytes=', 'all'],
    ['items=0-1', 'all'],
    ['Bytes=0-1', '0+2'],
    [`bytes=-${'9'.repeat(100)}`, '0+10'],
    [`bytes=-${'0'.repeat(100)}3`, '7+3'],
    [`bytes=3-${'9'.repeat(100)}`, '3+7'],
    [`bytes=${'9'.repeat(20)}-`, 'none'],
    ['bytes=0-', 'all', 0n],
    ['bytes=9223372036854775806-9223372036854775807', '9223372036854775806+1', 9223372036854775807n]
  ]
  for (const [field, spans, size = 10n] of rows) t.is(shown(field, size), spans, field)
  for (const bad of ['bytes', 'bytes=a-b', 'bytes=-', 'bytes=3-2', '0-1', 'bytes =0-1', 'bytes=1-2-3', 'bytes=0x1-2']) {
    t.throws(() => parseRanges(bad), { code: 'E_GATEWAY_RANGE' }, bad)
  }
})

test('a target is decoded once, and escaped in one way', t => {
  t.like(parseTarget('/ipfs/a%2541%C5%BC?x=%zz'), { path: '/ipfs/a%41ż', rawPath: '/ipfs/a%2541%C5%BC', rawQuery: 'x=%zz' })
  t.like(parseTarget('/%c5%bc/\xff"<'), { rawPath: '/%C5%BC/%FF%22%3C', path: '/ż/\udcff"<' })
  t.like(parseTarget('http://host.example:8/a?b'), { host: 'host.example:8', path: '/a', rawQuery: 'b' })
  t.is(parseTarget('http://host.example').path, '/')
  t.throws(() => parseTarget('/%a'), { code: 'E_GATEWAY_ENCODING' })
})

test('hosts are read without the dot at their end, and refused where they are none', t => {
  t.deepEqual(parseHost('a.Example.:80'), { name: 'a.Example', port: ':80' })
  t.deepEqual(parseHost('[::1]:8080'), { name: '[::1]', port: ':8080' })
  for (const bad of ['a b', 'a/b', 'a%2eb', 'a..', 'a@b', 'a\\b', 'ż.example', 'a:b', '<x>'])
    t.throws(() => parseHost(bad), { code: 'E_GATEWAY_HOST' }, bad)
})

test('rules of hosts: with a port, without, and by pattern', t => {
  const hosts = new KnownHosts(
    { 'a.example:9': { Paths: ['/a'] }, 'a.example': { Paths: ['/b'] }, 'x*y*z.example': { Paths: ['/c'] }, localhost: null },
    true
  )
  const paths = (host: string) => hosts.find(parseHost(host))?.paths
  t.deepEqual(paths('A.example:9'), ['/a'])
  t.deepEqual(paths('a.example:8'), ['/b'])
  t.deepEqual(paths('x1y2z.example:7'), ['/c'])
  for (const none of ['xy.example', 'xyz', 'x.yz.example', 'localhost', '']) t.is(paths(none), undefined, none)
})

test('labels: CIDs in base32 and, where that is too long, base36; names with their dots as dashes', t => {
  t.is(
    labelOfCid(CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')),
    'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
  )
  t.is(inlined('en.wikipedia-on-ipfs.org'), 'en-wikipedia--on--ipfs-org')
  t.is(uninlined('en-wikipedia--on--ipfs-org'), 'en.wikipedia-on-ipfs.org')
  t.throws(() => inlined(`${'a'.repeat(62)}.b`), { code: 'E_GATEWAY_INLINED' })
})

test('rules of _redirects: the first that fits, with what it found in the path', t => {
  const rules = parseRules('# none\n\n/a/:x/b /c/:x/:other 302\r\n/d/* https://example.com/:splat\n/:y /one/:y\n/* /rest 404\n')
  const found = (...segments: string[]) => {
    const { rule, to } = findRule(rules, segments)!
    return `${rule.status} ${to}`
  }
  t.is(found('a', 'X', 'b'), '302 /c/X/:other')
  t.is(found('d', 'e', 'f'), '301 https://example.com/e/f')
  t.is(found('d'), '301 /one/d')
  t.is(found('p', 'q'), '404 /rest')
  for (const [line, why] of [
    ['/a', /missing 'to' path/],
    ['a /b', /path must begin with '\/'/],
    ['/a/*/b /c', /path must end with asterisk/],
    ['/a javascript:alert(1)', /invalid URL scheme/],
    ['/a //evil.example', undefined],
    ['/a /b 999', /status code 999 is not supported/],
    ['/a /b 301!', /forced/]
  ] as const) {
    if (why === undefined) t.notThrows(() => parseRules(line))
    else t.throws(() => parseRules(line), { message: why }, line)
  }
  const many = parseRules(`/* /${':splat'.repeat(10_000)}`)
  t.is(findRule(many, ['a'])!.to.length, 10_001)
  t.throws(() => findRule(many, ['a'.repeat(15_000)]), { code: 'E_REDIRECTS_TARGET' })
})

test('file names in header fields, and sizes for people', t => {
  t.is(
    disposition('inline', "it's (1)!;ż.txt"),
    'inline; filename="it%27s%20%281%29%21%3B_.txt"; filename*=UTF-8\'\'it%27s%20%281%29%21%3B%C5%BC.txt'
  )
  t.deepEqual([0n, 9n, 10n, 999n, 1200n, 12_345n, 1_500_000n, -5n].map(formatSize), [
    '0 B',
    '9 B',
    '10 B',
    '999 B',
    '1.2 kB',
    '12 kB',
    '1.5 MB',
    '0 B'
  ])
})

const reading = (values: Readonly<Record<string, Json>>) => readConfig({ get: <T extends Json>(key: string) => values[key] as T })

test('what the configuration says in vain is told with its key', t => {
  const { passedOver } = reading({
    'Gateway.HTTPHeaders': { 'X-Mine': ['a'], 'no name': ['b'], 'content-length': ['3'], 'Transfer-Encoding': ['chunked'] },
    'Gateway.PublicGateways': {
      'gate.example': { Paths: ['/ipfs', 'ipns', ''] },
      '*.gate.example:8080': { Paths: ['/ipfs/'] },
      '[::1]:8080': { Paths: ['/ipfs'] },
      'https://gate.example': { Paths: ['/ipfs'] },
      'gate.example/ipfs': { Paths: ['/ipfs'] },
      'gate.example.': { Paths: ['/ipfs'] },
      'taken away': null
    }
  })
  t.deepEqual(passedOver, [
    "Gateway.HTTPHeaders: 'no name' is passed over: it is no name of a header field",
    "Gateway.HTTPHeaders: 'content-length' is passed over: the gateway itself says where an answer ends",
    "Gateway.HTTPHeaders: 'Transfer-Encoding' is passed over: the gateway itself says where an answer ends",
    "Gateway.PublicGateways.gate.example.Paths: 'ipns' is passed over: a path begins with /",
    "Gateway.PublicGateways.gate.example.Paths: '' is passed over: a path begins with /",
    "Gateway.PublicGateways: 'https://gate.example' is passed over: it is no host name, with a port or without",
    "Gateway.PublicGateways: 'gate.example/ipfs' is passed over: it is no host name, with a port or without"
  ])
})

test('nothing is told of a configuration that says nothing of it', t => {
  t.deepEqual(reading({}).passedOver, [])
  t.deepEqual(reading({ 'Gateway.PublicGateways': null, 'Gateway.HTTPHeaders': null }).passedOver, [])
})
