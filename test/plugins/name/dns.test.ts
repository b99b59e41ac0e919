import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { hasCode, NodeError } from '../../../core/index.ts'
import { CachedResolver } from '../../../plugins/name/dns/cache.ts'
import { HttpsResolver } from '../../../plugins/name/dns/https.ts'
import { answerOf, textQuestion } from '../../../plugins/name/dns/message.ts'
import { Resolvers } from '../../../plugins/name/dns/resolvers.ts'
import { SystemResolver } from '../../../plugins/name/dns/system.ts'
import { dnsLink, isDomain } from '../../../plugins/name/resolve/dnslink.ts'
import { DnsTxt } from '../../../plugins/older/dnslink.ts'
import { until } from '../../helpers/until.ts'

const name = (domain: string) => Buffer.concat([...domain.split('.').map(label => Buffer.from([label.length, ...Buffer.from(label)]))])

/** An answer with these texts for a question, each in parts. */
function answer(question: Uint8Array, texts: ReadonlyArray<readonly string[]>, { code = 0, alias = false, ttl = 0 } = {}): Buffer {
  const pointer = Buffer.from([0xc0, 12])
  const record = (type: number, data: Uint8Array) => {
    const head = Buffer.alloc(10)
    head.writeUInt16BE(type, 0)
    head.writeUInt16BE(1, 2)
    head.writeUInt32BE(ttl, 4)
    head.writeUInt16BE(data.length, 8)
    return Buffer.concat([pointer, head, data])
  }
  const txt = (parts: readonly string[]) =>
    record(16, Buffer.concat(parts.map(part => Buffer.from([Buffer.byteLength(part), ...Buffer.from(part)]))))
  const records = [...(alias ? [record(5, name('other.example.'))] : []), ...texts.map(txt)]
  const message = Buffer.concat([question, ...records])
  message[2] = 0x81
  message[3] = 0x80 | code
  message.writeUInt16BE(records.length, 6)
  return message
}

async function serverWith(t: ExecutionContext, reply: (question: Buffer) => { status?: number; body: Uint8Array }): Promise<string> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { status = 200, body } = reply(Buffer.concat(pieces))
    response.writeHead(status, { 'content-type': 'application/dns-message' }).end(body)
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`
}

const signal = new AbortController().signal
const over = (url: string) => new CachedResolver(new HttpsResolver(url), { most: 2, longest: undefined })

test('a resolver over HTTP is asked for the texts of a domain and gives them, those of several parts joined, others left out', async t => {
  const asked: string[] = []
  const url = await serverWith(t, question => {
    asked.push(question.toString('latin1'))
    return { body: answer(question, [['dnslink=/ipfs/', 'bafkqaaa'], ['v=spf1']], { alias: true }) }
  })
  const resolver = over(url)
  t.deepEqual(await resolver.texts('_dnslink.site.example.', { signal }), ['dnslink=/ipfs/bafkqaaa', 'v=spf1'])
  t.is(await dnsLink('site.example', resolver, { timeout: 30_000 }), '/ipfs/bafkqaaa')
  t.true(asked[0]!.includes('\x08_dnslink\x04site\x07example\x00\x00\x10\x00\x01'))
})

test('name servers of the system give the same texts, those that are no ASCII as well', async t => {
  const texts = ['dnslink=/ipfs/bafkqaaa/ü\u{1f30d}', `${'x'.repeat(255)}`]
  const server = createSocket('udp4')
  server.on('message', (question, { port, address }) => {
    // what a resolver may add to its question (EDNS) stands behind it
    const end = question.indexOf(Buffer.of(0, 0, 16, 0, 1), 12) + 5
    const bare = Buffer.from(question.subarray(0, end))
    bare.fill(0, 8, 12)
    server.send(answer(bare, [[texts[0]!], [texts[1]!, 'y']]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  const servers = [`127.0.0.1:${server.address().port}`]
  const named = new SystemResolver(servers)
  const overHttp = over(await serverWith(t, question => ({ body: answer(question, [[texts[0]!], [texts[1]!, 'y']]) })))
  for (const resolver of [named, overHttp]) {
    t.deepEqual(await resolver.texts('_dnslink.site.example.', { signal }), [texts[0]!, `${texts[1]}y`])
    t.is(await dnsLink('site.example', resolver, { timeout: 30_000 }), '/ipfs/bafkqaaa/ü\u{1f30d}')
  }
  t.is((await new DnsTxt(servers).txt('_dnslink.site.example', signal))[0], texts[0])
})

test('a domain that is not there has no texts; what else goes wrong is told', async t => {
  const none = over(await serverWith(t, question => ({ body: answer(question, [], { code: 3 }) })))
  t.deepEqual(await none.texts('no.example.', { signal }), [])
  const broken = over(await serverWith(t, question => ({ body: answer(question, [['x'.repeat(200)]]).subarray(0, 60) })))
  await t.throwsAsync(broken.texts('no.example.', { signal }), { message: /ends too early/ })
  const failing = over(await serverWith(t, question => ({ body: answer(question, [], { code: 2 }) })))
  await t.throwsAsync(failing.texts('no.example.', { signal }), { message: /code 2/ })
  const refusing = over(await serverWith(t, () => ({ status: 404, body: Buffer.from('no') })))
  await t.throwsAsync(refusing.texts('no.example.', { signal }), { message: /^Post "http:.*": HTTP status 404$/ })
  const endless = over(await serverWith(t, () => ({ body: new Uint8Array(70_000) })))
  await t.throwsAsync(endless.texts('no.example.', { signal }), { message: /more than 65535 bytes/ })
})

test('an answer is remembered for as long as it says, no longer than the configuration, and so many of them are', async t => {
  let now = 0
  const asked: string[] = []
  const source = { answer: async (domain: string) => ({ texts: domain === 'none.' ? [] : [domain], ttl: asked.push(domain) && 60 }) }
  const cached = (longest?: number, most = 2) => new CachedResolver(source, { most, longest }, () => now)
  const ask = async (resolver: CachedResolver, ...domains: string[]) => {
    asked.length = 0
    for (const domain of domains) await resolver.texts(domain, { signal })
    return asked.splice(0)
  }
  const free = cached()
  t.deepEqual(await ask(free, 'a.', 'A.', 'a.'), ['a.'])
  now += 59_999
  t.deepEqual(await ask(free, 'a.'), [])
  now += 1
  t.deepEqual(await ask(free, 'a.'), ['a.'])
  t.deepEqual(await ask(free, 'b.', 'a.', 'c.', 'a.', 'b.'), ['b.', 'c.', 'b.'], 'the one that was asked for the longest ago is given up')
  t.deepEqual(await ask(free, 'none.', 'none.'), ['none.', 'none.'])
  const short = cached(1000)
  t.deepEqual(await ask(short, 'a.', 'a.'), ['a.'])
  now += 1000
  t.deepEqual(await ask(short, 'a.'), ['a.'])
  t.deepEqual(await ask(cached(0), 'a.', 'a.'), ['a.', 'a.'])
  t.deepEqual(await ask(cached(undefined, 0), 'a.', 'a.'), ['a.', 'a.'])
})

test('the time of an answer is the shortest of its records, and that of a failure is none', t => {
  const question = textQuestion('a.example.')
  t.deepEqual(answerOf(answer(question, [['x'], ['y']], { ttl: 300 })), { texts: ['x', 'y'], ttl: 300 })
  t.is(answerOf(answer(question, [['x']], { ttl: 0xff_ff_ff_ff })).ttl, 0)
  t.deepEqual(answerOf(answer(question, [], { ttl: 300 })), { texts: [], ttl: 0 })
})

test('a time in the configuration that is none is refused', t => {
  const of = (time: string) =>
    new Resolvers({ get: (key: string) => (key === 'DNS.MaxCacheTTL' ? time : undefined) } as never, { dns: 'none', maxDomains: 1 })
  t.throws(() => of('soon'), { code: 'E_DNS_CACHE', message: /DNS\.MaxCacheTTL is "soon"/ })
  t.notThrows(() => of('1m'))
})

test('any bytes are an answer or refused', t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(40), (noise, keep) => {
      const good = answer(textQuestion('a.example.'), [['text']])
      const bytes = Buffer.concat([good.subarray(0, keep), noise])
      try {
        answerOf(bytes)
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
      }
    }),
    { numRuns: 2000 }
  )
  t.pass()
})

test('a look-up that takes too long is given up', async t => {
  const error = await t.throwsAsync(dnsLink('slow.example', { texts: () => new Promise(() => {}) }, { timeout: 20 }))
  t.true(hasCode(error, 'E_DNSLINK'))
  t.is(error?.message, 'DNSLink lookup for "slow.example." failed: context deadline exceeded')
})

test('the configuration says who is asked for which domains, the longest end first; entries that make no sense are refused', async t => {
  const of = (resolvers: Record<string, string>) =>
    new Resolvers({ get: (key: string) => (key === 'DNS.Resolvers' ? resolvers : undefined) } as never, { dns: 'none', maxDomains: 1024 })
  await t.throwsAsync(of({ 'example.': 'https://127.0.0.1:1/dns-query' }).texts('_dnslink.site.example.', { signal }), {
    message: 'Post "https://127.0.0.1:1/dns-query": dial tcp 127.0.0.1:1: connect: connection refused'
  })
  t.deepEqual(await of({ 'example.': 'https://127.0.0.1:1/dns-query' }).texts('_dnslink.sample.', { signal }), [])
  t.deepEqual(await of({ '.': 'auto', 'sample.': 'auto' }).texts('_dnslink.sample.', { signal }), [], 'as newer versions of Kubo have it')
  t.deepEqual(await of({ 'eth.': '' }).texts('_dnslink.site.eth.', { signal }), [])
  for (const end of ['example.', 'EXAMPLE.'])
    await t.throwsAsync(
      of({ [end]: 'https://127.0.0.1:1/' }).texts('_dnslink.site.Example.', { signal }),
      { message: /connection refused/ },
      'in any case of letters'
    )
  t.throws(() => of({ example: 'https://127.0.0.1:1/' }), { message: 'config setting DNS.Resolvers: invalid domain example; must be FQDN' })
  t.throws(() => of({ 'example.': 'http://127.0.0.1:1/' }), {
    message: 'config setting DNS.Resolvers: bad resolver for example.: invalid resolver url: http://127.0.0.1:1/'
  })
})

test('a resolver that sends elsewhere is not followed, and one whose answer does not end is given up in time and let go', async t => {
  let closed = 0
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    if (request.url === '/away') return void response.writeHead(302, { location: '/dns-query' }).end()
    const timer = setInterval(() => response.write('x'), 10)
    response.on('close', () => {
      closed++
      clearInterval(timer)
    })
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  t.teardown(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await t.throwsAsync(over(`${url}/away`).texts('a.example.', { signal }), { message: /HTTP status 302$/ })
  t.is(asked, 1)
  await t.throwsAsync(dnsLink('slow.example', over(`${url}/slow`), { timeout: 300 }), { message: /context deadline exceeded$/ })
  await until('the connection is closed', () => closed === 1)
})

test('a domain has labels of 1 to 63 bytes, 253 together', t => {
  for (const text of ['a', 'a.b', 'a.b.', 'not a name', '_x_', 'x'.repeat(63)]) t.true(isDomain(text), text)
  for (const text of ['', '.', 'a..b', 'x'.repeat(64), `${'x'.repeat(60)}.`.repeat(5)]) t.false(isDomain(text), text)
})
