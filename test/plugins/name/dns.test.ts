import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { hasCode, NodeError } from '../../../core/index.ts'
import { HttpsResolver } from '../../../plugins/name/dns/https.ts'
import { textQuestion, textsOf } from '../../../plugins/name/dns/message.ts'
import { Resolvers } from '../../../plugins/name/dns/resolvers.ts'
import { dnsLink, isDomain } from '../../../plugins/name/dnslink.ts'

const name = (domain: string) => Buffer.concat([...domain.split('.').map(label => Buffer.from([label.length, ...Buffer.from(label)]))])

/** An answer with these texts for a question, each in parts. */
function answer(question: Uint8Array, texts: ReadonlyArray<readonly string[]>, { code = 0, alias = false } = {}): Buffer {
  const pointer = Buffer.from([0xc0, 12])
  const record = (type: number, data: Uint8Array) => {
    const head = Buffer.alloc(10)
    head.writeUInt16BE(type, 0)
    head.writeUInt16BE(1, 2)
    head.writeUInt16BE(data.length, 8)
    return Buffer.concat([pointer, head, data])
  }
  const txt = (parts: readonly string[]) => record(16, Buffer.concat(parts.map(part => Buffer.from([part.length, ...Buffer.from(part)]))))
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

test('a resolver over HTTP is asked for the texts of a domain and gives them, those of several parts joined, others left out', async t => {
  const asked: string[] = []
  const url = await serverWith(t, question => {
    asked.push(question.toString('latin1'))
    return { body: answer(question, [['dnslink=/ipfs/', 'bafkqaaa'], ['v=spf1']], { alias: true }) }
  })
  const resolver = new HttpsResolver(url)
  t.deepEqual(await resolver.texts('_dnslink.site.example.', { signal }), ['dnslink=/ipfs/bafkqaaa', 'v=spf1'])
  t.is(await dnsLink('site.example', resolver, { timeout: 30_000 }), '/ipfs/bafkqaaa')
  t.true(asked[0]!.includes('\x08_dnslink\x04site\x07example\x00\x00\x10\x00\x01'))
})

test('a domain that is not there has no texts; what else goes wrong is told', async t => {
  const none = new HttpsResolver(await serverWith(t, question => ({ body: answer(question, [], { code: 3 }) })))
  t.deepEqual(await none.texts('no.example.', { signal }), [])
  const broken = new HttpsResolver(await serverWith(t, question => ({ body: answer(question, [['x'.repeat(200)]]).subarray(0, 60) })))
  await t.throwsAsync(broken.texts('no.example.', { signal }), { message: /ends too early/ })
  const failing = new HttpsResolver(await serverWith(t, question => ({ body: answer(question, [], { code: 2 }) })))
  await t.throwsAsync(failing.texts('no.example.', { signal }), { message: /code 2/ })
  const refusing = new HttpsResolver(await serverWith(t, () => ({ status: 404, body: Buffer.from('no') })))
  await t.throwsAsync(refusing.texts('no.example.', { signal }), { message: /^Post "http:.*": HTTP status 404$/ })
  const endless = new HttpsResolver(await serverWith(t, () => ({ body: new Uint8Array(70_000) })))
  await t.throwsAsync(endless.texts('no.example.', { signal }), { message: /more than 65535 bytes/ })
})

test('any bytes are an answer or refused', t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(40), (noise, keep) => {
      const good = answer(textQuestion('a.example.'), [['text']])
      const bytes = Buffer.concat([good.subarray(0, keep), noise])
      try {
        textsOf(bytes)
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
  const of = (resolvers: Record<string, string>) => new Resolvers({ get: () => resolvers } as never, { dns: 'none' })
  await t.throwsAsync(of({ 'example.': 'https://127.0.0.1:1/dns-query' }).texts('_dnslink.site.example.', { signal }), {
    message: 'Post "https://127.0.0.1:1/dns-query": dial tcp 127.0.0.1:1: connect: connection refused'
  })
  t.deepEqual(await of({ 'example.': 'https://127.0.0.1:1/dns-query' }).texts('_dnslink.sample.', { signal }), [])
  t.deepEqual(await of({ 'eth.': '' }).texts('_dnslink.site.eth.', { signal }), [])
  t.throws(() => of({ example: 'https://127.0.0.1:1/' }), { message: 'invalid domain example; must be FQDN' })
  t.throws(() => of({ 'example.': 'http://127.0.0.1:1/' }), {
    message: 'bad resolver for example.: invalid resolver url: http://127.0.0.1:1/'
  })
})

test('a domain has labels of 1 to 63 bytes, 253 together', t => {
  for (const text of ['a', 'a.b', 'a.b.', 'not a name', '_x_', 'x'.repeat(63)]) t.true(isDomain(text), text)
  for (const text of ['', '.', 'a..b', 'x'.repeat(64), `${'x'.repeat(60)}.`.repeat(5)]) t.false(isDomain(text), text)
})
