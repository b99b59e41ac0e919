import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { RAW } from '../../../core/cid/index.ts'
import { BlockSources, Blocks, CID, Exchange, MetricsReport, type Exchange as Peers, ready } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import type { NodeHost } from '../../../host/host.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { certify } from '../../helpers/certificate.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { onlineNode } from '../../helpers/online.ts'
import { parsePrometheus } from '../../helpers/prometheus.ts'
import { until } from '../../helpers/until.ts'
import { added, bytesOf, connected, statOf } from '../bitswap/nodes.ts'
import { world } from '../gateway/world.ts'
import { type Sample, sample, samples } from '../storage/samples.ts'

/** A server of this machine that answers as it is told, and what it was asked for. */
async function server(t: ExecutionContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: IncomingMessage[] = []
  const listener: RequestListener = (request, response) => {
    asked.push(request)
    answer(request, response)
  }
  const made = createServer(listener)
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  t.teardown(() => {
    made.closeAllConnections()
    made.close()
  })
  return { asked, url: `http://127.0.0.1:${(made.address() as AddressInfo).port}` }
}

/** A gateway that has these blocks, and answers 404 for others. */
const holding = (t: ExecutionContext, ...blocks: readonly Sample[]) => server(t, (request, response) => give(blocks, request, response))

function give(blocks: readonly Sample[], { url = '' }: IncomingMessage, response: ServerResponse): void {
  const found = blocks.find(({ cid }) => url.includes(`/${cid}`))
  if (found === undefined) response.writeHead(404).end('not here')
  else response.end(found.bytes)
}

/** A node without peers that asks these. */
async function asking(t: ExecutionContext, settings: Readonly<Record<string, unknown>>, peers?: Peers): Promise<NodeHost> {
  const host = await testHost({
    configuration: { plugins: { retrieval: settings } as never },
    ...(peers !== undefined && { services: [ready(Exchange, peers)] })
  })
  t.teardown(() => host.stop())
  return host
}

const get = (host: NodeHost, { cid }: { readonly cid: CID }, signal?: AbortSignal) => host.service(Blocks)!.get(cid, { signal })

const metrics = async (host: NodeHost) => parsePrometheus(await host.service(MetricsReport)!.text())

/** Peers of which nobody has anything. */
const nobody = (): Peers => ({
  get: (_, { signal } = {}) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
})

test('a file is read through the gateway of another node, and is here afterwards', async t => {
  const other = await world(t)
  const content = randomBytes(5_000_000)
  const { cids } = await other.add({ file: content })
  const host = await asking(t, { gateways: [`http://127.0.0.1:${other.port}`] })
  t.true(content.equals(Buffer.concat(await itemsOf<Uint8Array>(await host.call('cat', { args: [cids.get('file')!] })))))
  const { value } = await metrics(host)
  const gateway = `http://127.0.0.1:${other.port}`
  const requests = value('holdfast_retrieval_requests_total', { gateway, outcome: 'block' })!
  t.true(requests >= 20, `${requests}`)
  t.true(value('holdfast_retrieval_bytes_total', { gateway })! > 5_000_000)
  t.is(value('holdfast_retrieval_waiting', { gateway }), 0)
  await itemsOf(await host.call('cat', { args: [cids.get('file')!], options: { offline: true } }))
  t.is(
    (await metrics(host)).value('holdfast_retrieval_requests_total', { gateway, outcome: 'block' }),
    requests,
    'nothing is fetched twice'
  )
})

test('a request names the block alone: as raw, without credentials, cookies or compression', async t => {
  const block = sample(1)
  const { asked, url } = await holding(t, block)
  const host = await asking(t, { gateways: [`${url}/below/`] })
  t.deepEqual(Buffer.from(await get(host, block)), Buffer.from(block.bytes))
  const [request] = asked
  t.is(request!.url, `/below/ipfs/${block.cid}?format=raw`)
  t.is(request!.headers.accept, 'application/vnd.ipld.raw')
  t.is(request!.headers['accept-encoding'], 'identity')
  t.deepEqual(Object.keys(request!.headers).sort(), ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
})

test('without gateways there is no source, and with a call that is offline none is asked', async t => {
  const block = sample(1)
  const none = await asking(t, {})
  t.is(none.service(BlockSources)!.size, 0)
  await t.throwsAsync(get(none, block), { code: 'E_BLOCK_NOT_FOUND' })
  const { asked, url } = await holding(t, block)
  const host = await asking(t, { gateways: [url] })
  await t.throwsAsync(host.service(Blocks)!.get(block.cid, { offline: true }), { code: 'E_BLOCK_NOT_FOUND' })
  t.deepEqual(asked, [])
})

test('a node that runs offline asks no gateway', async t => {
  const block = sample(1)
  const { asked, url } = await holding(t, block)
  const host = await createHost({
    offline: '--offline',
    repo: { path: undefined, init: {}, overrides: { 'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0' } },
    configuration: { plugins: { 'storage-rocksdb': 'off', 'storage-memory': 'on', retrieval: { gateways: [url] } } as never }
  })
  t.teardown(() => host.stop())
  await host.start()
  await t.throwsAsync(get(host, block), { code: 'E_BLOCK_NOT_FOUND' })
  t.deepEqual(asked, [])
})

test('what no gateway has is told with the name of each', async t => {
  const [one, other] = [await holding(t), await holding(t)]
  const host = await asking(t, { gateways: [one.url, other.url] })
  const error = await t.throwsAsync(get(host, sample(1)), { code: 'E_BLOCK_UNAVAILABLE' })
  for (const { url } of [one, other]) t.true(error.message.includes(`${url} has not got it`), error.message)
  const gateway = await world(t, { others: { retrieval: { gateways: [one.url] } } })
  t.is((await gateway.get(`/ipfs/${sample(1).cid}?format=raw`)).status, 504)
})

test('callers who want the same block wait for one request, which ends when all have left', async t => {
  const [one, two] = samples(2) as [Sample, Sample]
  const left = Promise.withResolvers<void>()
  const { asked, url } = await server(t, (request, response) => {
    if (request.url!.includes(String(one.cid))) give([one], request, response)
    else response.on('close', left.resolve)
  })
  const host = await asking(t, { gateways: [url] })
  await Promise.all([get(host, one), get(host, one), get(host, one)])
  t.is(asked.length, 1)
  const callers = [new AbortController(), new AbortController()]
  const waits = callers.map(({ signal }) => get(host, two, signal))
  await until('it is asked for', () => asked.length === 2)
  callers[0]!.abort(new Error('left first'))
  await t.throwsAsync(waits[0]!, { message: 'left first' })
  callers[1]!.abort(new Error('left second'))
  await t.throwsAsync(waits[1]!, { message: 'left second' })
  await left.promise
  t.is((await metrics(host)).value('holdfast_retrieval_requests_total', { gateway: url, outcome: 'left' }), 1)
})

/** What hostile gateways answer, and what is said of it; those that stand still are given up after a time. */
const HOSTILE: Readonly<
  Record<string, [why: RegExp, answer: (block: Sample, response: ServerResponse) => void, stands?: 'before its answer' | 'in its body']>
> = {
  'other bytes': [/other bytes than those of/, (_, response) => response.end(sample(2).bytes)],
  'a page': [/other bytes/, (_, response) => response.setHeader('Content-Type', 'text/html').end('<h1>Log in</h1>')],
  'a body without end': [
    /more than 2097152 bytes/,
    (_, response) => {
      const piece = Buffer.alloc(65_536)
      const more = () => {
        while (response.write(piece));
      }
      response.on('drain', more)
      more()
    }
  ],
  'a length beyond all bounds': [/more than 2097152 bytes/, (_, response) => response.setHeader('Content-Length', 1e12).flushHeaders()],
  'one byte a while': [
    /not here after/,
    (_, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    },
    'in its body'
  ],
  'one byte of a header a while': [
    /no answer in/,
    (_, response) => {
      const socket = response.socket!
      socket.write('HTTP/1.1 200 OK\r\nX-A: ')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    },
    'before its answer'
  ],
  'a header without end': [
    /Header overflow/,
    (_, response) => {
      response.socket!.on('error', () => {})
      response.socket!.write(`HTTP/1.1 200 OK\r\n${'X-A: 0123456789012345678901234567890123456789\r\n'.repeat(2000)}`)
    }
  ],
  'more before its answer without end': [
    /no answer in/,
    (_, response) => {
      const timer = setInterval(() => response.writeProcessing(), 5)
      response.socket!.on('close', () => clearInterval(timer))
    },
    'before its answer'
  ],
  nothing: [/no answer in/, () => {}, 'before its answer'],
  'what was packed': [/in "gzip"/, ({ bytes }, response) => response.setHeader('Content-Encoding', 'gzip').end(gzipSync(bytes))],
  'a gzip bomb': [/in "gzip"/, (_, response) => response.setHeader('Content-Encoding', 'gzip').end(gzipSync(Buffer.alloc(50_000_000)))],
  'a gzip bomb that it says nothing of': [/other bytes/, (_, response) => response.end(gzipSync(Buffer.alloc(50_000_000)))],
  'half of it': [
    /aborted/,
    ({ bytes }, response) => {
      response.setHeader('Content-Length', bytes.length)
      response.write(bytes.subarray(0, 1000), () => response.destroy())
    }
  ],
  'what is no HTTP': [/Parse Error/, (_, response) => response.socket!.end('SSH-2.0-OpenSSH_9.6\r\n')],
  'a redirect to itself without end': [/more than 3 times/, (_, response) => response.writeHead(302, { Location: '/again' }).end()],
  'a redirect to a file': [/to "file:"/, (_, response) => response.writeHead(302, { Location: 'file:///etc/passwd' }).end()],
  'a redirect to another scheme': [/to "https:"/, (_, response) => response.writeHead(302, { Location: 'https://127.0.0.1/' }).end()],
  'a redirect with credentials': [
    /with credentials/,
    (_, response) => response.writeHead(302, { Location: 'http://a:b@127.0.0.1/' }).end()
  ],
  'a redirect to no URL': [/no URL/, (_, response) => response.writeHead(302, { Location: 'http://[' }).end()],
  'status 500': [/answers 500/, (_, response) => response.writeHead(500).end()],
  'status 403 and a body without end': [
    /answers 403/,
    (_, response) => {
      response.writeHead(403)
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    }
  ]
}

for (const [what, [why, answer, stands]] of Object.entries(HOSTILE)) {
  test(`a gateway that answers ${what} is left alone, and the next one gives the block`, async t => {
    const block = sample(1, 300_000)
    const hostile = await server(t, (_, response) => {
      // one that is cut off is no error of the test's
      response.on('error', () => {})
      answer(block, response)
    })
    const rests = { minBackoff: '1h', maxBackoff: '1h', patience: '1ms' }
    const times = {
      answerTimeout: stands === 'before its answer' ? '300ms' : '1m',
      blockTimeout: stands === 'in its body' ? '300ms' : '1m'
    }
    const alone = await asking(t, { gateways: [hostile.url], ...rests, ...times })
    const error = await t.throwsAsync(get(alone, block), { code: 'E_BLOCK_UNAVAILABLE', message: why })
    t.true(error.message.includes(hostile.url), error.message)
    const { value } = await metrics(alone)
    t.is(value('holdfast_retrieval_requests_total', { gateway: hostile.url, outcome: 'failed' }), 1)
    t.true(value('holdfast_retrieval_rests_seconds', { gateway: hostile.url })! > 3000)
    const before = hostile.asked.length
    await t.throwsAsync(get(alone, block), { code: 'E_BLOCK_UNAVAILABLE', message: /left alone/ })
    t.is(hostile.asked.length, before)
    const sound = await holding(t, block)
    const host = await asking(t, { gateways: [hostile.url, sound.url], nextAfter: '1ms' })
    t.deepEqual(Buffer.from(await get(host, block)), Buffer.from(block.bytes))
  })
}

test('a redirect leads to what the configuration names, and to no other address of this machine or its network', async t => {
  const block = sample(1)
  const elsewhere = await holding(t, block)
  const path = `/somewhere/${block.cid}`
  for (const [to, isNamed] of [
    [`${elsewhere.url}${path}`, true],
    [`${elsewhere.url}${path}`, false],
    [`${elsewhere.url.replace('127.0.0.1', 'localhost')}${path}`, false],
    [`${elsewhere.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')}${path}`, false],
    [`${elsewhere.url.replace('127.0.0.1', '0x7f.1')}${path}`, false],
    [`http://169.254.169.254${path}`, false]
  ] as const) {
    const { url } = await server(t, (_, response) => response.writeHead(307, { Location: to }).end())
    const settings = { minBackoff: '1h', maxBackoff: '1h' }
    const host = await asking(t, { gateways: isNamed ? [url, elsewhere.url] : [url], nextAfter: '1h', ...settings })
    const before = elsewhere.asked.length
    if (isNamed) {
      await get(host, block)
      t.is(elsewhere.asked.at(-1)!.url, path)
    } else {
      await t.throwsAsync(get(host, block), { message: /no public address/ }, to)
      t.is(elsewhere.asked.length, before, to)
    }
  }
})

test('a redirect on the gateway itself is followed, with a new query', async t => {
  const block = sample(1)
  const { asked, url } = await server(t, (request, response) => {
    if (request.url!.startsWith('/ipfs/')) response.writeHead(301, { Location: `/moved/${block.cid}?x=1` }).end('moved')
    else give([block], request, response)
  })
  await get(await asking(t, { gateways: [url] }), block)
  t.deepEqual(
    asked.map(({ url }) => url),
    [`/ipfs/${block.cid}?format=raw`, `/moved/${block.cid}?x=1`]
  )
})

test('a gateway that answers 429 is left alone for as long as it says, and is asked again after', async t => {
  const block = sample(1)
  const times: number[] = []
  const { url } = await server(t, (request, response) => {
    times.push(performance.now())
    if (times.length === 1) response.writeHead(429, { 'Retry-After': '1' }).end()
    else give([block], request, response)
  })
  const host = await asking(t, { gateways: [url], minBackoff: '1ms' })
  await get(host, block)
  t.is(times.length, 2)
  t.true(times[1]! - times[0]! >= 999, `${times[1]! - times[0]!} ms`)
})

test('a gateway that wants to be left alone for longer than a block waits holds nobody up', async t => {
  const blocks = samples(3)
  const { asked, url } = await server(t, (_, response) => response.writeHead(503, { 'Retry-After': '3600' }).end())
  const host = await asking(t, { gateways: [url], maxConcurrent: 1 })
  const errors = await Promise.all(blocks.map(block => t.throwsAsync(get(host, block), { code: 'E_BLOCK_UNAVAILABLE' })))
  t.true(errors.every(({ message }) => message.includes(url)))
  t.is(asked.length, 1)
  const { value } = await metrics(host)
  const rests = value('holdfast_retrieval_rests_seconds', { gateway: url })!
  t.true(rests > 200 && rests <= 300, `no longer than maxBackoff: ${rests}`)
})

test('a connection that breaks in the middle is tried again, one request at a time', async t => {
  const blocks = samples(20)
  let failures = 0
  let [atOnce, mostAtOnce] = [0, 0]
  const { url } = await server(t, (request, response) => {
    if (failures < 1) {
      failures++
      response.setHeader('Content-Length', 10_000)
      response.write('half', () => response.destroy())
      return
    }
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    response.on('close', () => atOnce--)
    give(blocks, request, response)
  })
  const host = await asking(t, { gateways: [url], minBackoff: '10ms', maxConcurrent: 4 })
  const [first] = blocks
  t.deepEqual(Buffer.from(await get(host, first!)), Buffer.from(first!.bytes))
  await Promise.all(blocks.map(block => get(host, block)))
  t.true(mostAtOnce <= 4, `${mostAtOnce}`)
  t.is((await metrics(host)).value('holdfast_retrieval_requests_total', { gateway: url, outcome: 'failed' }), 1)
})

test('a connection that was kept and is closed by the gateway meanwhile is no failure', async t => {
  const blocks = samples(12)
  const used = new WeakSet<Socket>()
  const { asked, url } = await server(t, (request, response) => {
    if (used.has(request.socket)) request.socket.destroy()
    else give(blocks, request, response)
    used.add(request.socket)
  })
  const host = await asking(t, { gateways: [url], maxConcurrent: 4 })
  await Promise.all(blocks.map(block => get(host, block)))
  for (const block of blocks) await host.service(Blocks)!.delete(block.cid)
  await Promise.all(blocks.map(block => get(host, block)))
  t.true(asked.length > 24, 'some were kept')
  t.is((await metrics(host)).value('holdfast_retrieval_requests_total', { gateway: url, outcome: 'failed' }), undefined)
})

test('no more requests are under way than are allowed, nor than the bytes of their answers have room', async t => {
  const blocks = samples(40)
  for (const [settings, most] of [
    [{ maxConcurrent: 3 }, 3],
    [{ maxConcurrent: 30, maxBlock: 10_000, maxInFlight: 50_000 }, 5]
  ] as const) {
    let [given, mostAtOnce] = [0, 0]
    const held: Array<() => void> = []
    const { url } = await server(t, (request, response) => {
      mostAtOnce = Math.max(
        mostAtOnce,
        held.push(() => give(blocks, request, response))
      )
      // one beyond what is allowed has time to come
      if (held.length === Math.min(most, blocks.length - given))
        setTimeout(() => {
          given += held.length
          for (const answer of held.splice(0)) answer()
        }, 10)
    })
    const host = await asking(t, { gateways: [url], ...settings })
    await Promise.all(blocks.map(block => get(host, block)))
    t.is(mostAtOnce, most)
  }
})

test('no more requests are made in a minute than are allowed', async t => {
  const blocks = samples(30)
  const { asked, url } = await holding(t, ...blocks)
  const host = await asking(t, { gateways: [url], perMinute: 60 })
  const leaving = new AbortController()
  const began = performance.now()
  const waits = blocks.map(block => get(host, block, leaving.signal).catch(() => {}))
  await until('ten have come', () => asked.length >= 10)
  const { value } = await metrics(host)
  t.true(value('holdfast_retrieval_waiting', { gateway: url })! > 0)
  const allowed = 11 + (performance.now() - began) / 1000
  t.true(asked.length <= allowed, `${asked.length} of ${allowed}`)
  leaving.abort(new Error('left'))
  await Promise.all(waits)
})

test('the next gateway is asked when one has not got a block, and beside one that takes long', async t => {
  const block = sample(1)
  const empty = await holding(t)
  const slow = await server(t, () => {})
  const sound = await holding(t, block)
  const host = await asking(t, { gateways: [empty.url, slow.url, sound.url], nextAfter: '50ms' })
  await get(host, block)
  t.deepEqual(
    [empty, slow, sound].map(({ asked }) => asked.length),
    [1, 1, 1]
  )
})

test('a gateway and peers are asked for the same block, and the first that has it ends the wait for the other', async t => {
  const [one, two] = samples(2) as [Sample, Sample]
  const slow = await server(t, () => {})
  const [a, b] = [await onlineNode(t, { on: { retrieval: { gateways: [slow.url], headStart: 0, nextAfter: '1h' } } }), await onlineNode(t)]
  const blocks = a.host.service(Blocks)!
  const byPeer = blocks.get(one.cid)
  await until('the gateway is asked', () => slow.asked.length === 1)
  const gone = once(slow.asked[0]!.socket, 'close')
  await b.host.service(Blocks)!.put(one.cid, one.bytes)
  await connected(a, b)
  t.deepEqual(Buffer.from(await byPeer), Buffer.from(one.bytes))
  await gone

  const quick = await holding(t, two)
  const c = await onlineNode(t, { on: { retrieval: { gateways: [quick.url], headStart: 0 } } })
  await connected(c, b)
  t.deepEqual(Buffer.from(await c.host.service(Blocks)!.get(two.cid)), Buffer.from(two.bytes))
  await until('the peer is not waited for', () => statOf(c).wantlist.length === 0)
})

test('a file comes whole from a peer and a gateway that have half of it each', async t => {
  const content = randomBytes(6_000_000)
  const other = await world(t)
  const { cids } = await other.add({ file: content })
  const b = await onlineNode(t)
  const hash = await added(b, content, { cidVersion: 1 })
  t.is(hash, cids.get('file')!)
  const leaves = (await itemsOf<{ Ref: string }>(await b.host.call('refs', { args: [hash] }))).map(({ Ref }) => Ref)
  for (const [i, Ref] of leaves.entries()) {
    await itemsOf(await (i % 2 === 0 ? b.host : other.host).call('block/rm', { args: [Ref], options: { force: true } }))
  }
  const a = await onlineNode(t, { on: { retrieval: { gateways: [`http://127.0.0.1:${other.port}`], headStart: '10ms' } } })
  await connected(a, b)
  t.true(content.equals(await bytesOf(a, 'cat', hash)))
})

test('what peers give at once no gateway is asked for', async t => {
  const { asked, url } = await holding(t)
  const a = await onlineNode(t, { on: { retrieval: { gateways: [url], headStart: '1h' } } })
  const b = await onlineNode(t)
  const content = randomBytes(2_000_000)
  const hash = await added(b, content)
  await connected(a, b)
  t.true(content.equals(await bytesOf(a, 'cat', hash)))
  t.is(asked.length, 0)
})

test('where peers may still have it, what no gateway has is waited for and asked for again', async t => {
  const block = sample(1)
  const held: Sample[] = []
  const { asked, url } = await server(t, (request, response) => give(held, request, response))
  const host = await asking(t, { gateways: [url], headStart: 0, askAgain: '20ms' }, nobody())
  const waiting = get(host, block)
  await until('it was asked twice', () => asked.length >= 2)
  held.push(block)
  t.deepEqual(Buffer.from(await waiting), Buffer.from(block.bytes))
})

test('a source of another plugin whose bytes are wrong does not win', async t => {
  const block = sample(1)
  const { url } = await holding(t, block)
  const liar: Peers = { get: async () => sample(2).bytes }
  const host = await asking(t, { gateways: [url], headStart: 0 }, liar)
  t.deepEqual(Buffer.from(await get(host, block)), Buffer.from(block.bytes))
  const none = await holding(t)
  const failing = await asking(t, { gateways: [none.url], headStart: 0, askAgain: '1h' }, liar)
  const leaving = new AbortController()
  const waiting = get(failing, block, leaving.signal)
  await until('it was asked', () => none.asked.length === 1)
  leaving.abort(new Error('left'))
  await t.throwsAsync(waiting, { message: 'left' })
})

test('hosts of RASL are asked for what DASL has names for, and for nothing else', async t => {
  const block = sample(1)
  const raw = { ...block, cid: CID.createV1(RAW, block.cid.multihash) }
  const { asked, url } = await holding(t, raw)
  const host = await asking(t, { rasl: [url] })
  t.deepEqual(Buffer.from(await get(host, raw)), Buffer.from(raw.bytes))
  t.is(asked[0]!.url, `/.well-known/rasl/${raw.cid}`)
  t.is(asked[0]!.headers.accept, undefined)
  const pb = CID.createV1(0x70, sample(3).cid.multihash)
  await t.throwsAsync(get(host, { cid: pb }), { code: 'E_BLOCK_UNAVAILABLE', message: /no gateway can be asked/ })
  t.is(asked.length, 1)
})

/** A server over https whose certificate is trusted once `trust` was called. */
async function secure(t: ExecutionContext, answer: RequestListener) {
  const { certificate, key } = await certify(await temporaryFolder(t), 'gateway')
  const asked: string[] = []
  const made = createSecureServer({ cert: await readFile(certificate), key: await readFile(key) }, (request, response) => {
    asked.push(request.url!)
    answer(request, response)
  })
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  const before = getCACertificates('default')
  t.teardown(() => {
    setDefaultCACertificates(before)
    made.closeAllConnections()
    made.close()
  })
  const host = `127.0.0.1:${(made.address() as AddressInfo).port}`
  return { asked, host, trust: async () => setDefaultCACertificates([...before, await readFile(certificate, 'utf8')]) }
}

test.serial('a gateway over https shows a certificate that is trusted, whatever the environment says of certificates', async t => {
  const block = sample(1)
  const { host, trust } = await secure(t, (request, response) => give([block], request, response))
  const environment = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  t.teardown(() => {
    if (environment === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  })
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  const settings = { gateways: [`https://${host}`], minBackoff: '1h', maxBackoff: '1h' }
  await t.throwsAsync(get(await asking(t, settings), block), { message: /self-signed certificate/ })
  await trust()
  t.deepEqual(Buffer.from(await get(await asking(t, settings), block)), Buffer.from(block.bytes))
})

const fetched = async (host: NodeHost, url: string) =>
  Buffer.concat(await itemsOf<Uint8Array>(await host.call('retrieval/get', { args: [url] })))

test.serial('a RASL URL names hosts that are asked for its block beside all others', async t => {
  const [one, two] = samples(2).map(block => ({ ...block, cid: CID.createV1(RAW, block.cid.multihash) })) as [Sample, Sample]
  const hinted = await secure(t, (request, response) => {
    if (request.url!.startsWith('/.well-known/rasl/')) give([one], request, response)
    else response.writeHead(404).end()
  })
  await hinted.trust()
  const other = await holding(t, two)
  const host = await asking(t, { gateways: [other.url, `https://${hinted.host}`] })
  t.deepEqual(await fetched(host, `rasl://${one.cid}/?hint=${hinted.host}&hint=no%20host`), Buffer.from(one.bytes))
  t.true(hinted.asked.includes(`/.well-known/rasl/${one.cid}`))
  t.is((await metrics(host)).value('holdfast_retrieval_requests_total', { gateway: 'hinted', outcome: 'block' }), 1)
  t.deepEqual(await fetched(host, `rasl://${two.cid}/?hint=${hinted.host}`), Buffer.from(two.bytes), 'from the gateway')
  const before = hinted.asked.length
  t.deepEqual(await fetched(host, `rasl://${one.cid}/ignored?hint=${hinted.host}`), Buffer.from(one.bytes), 'from here')
  t.is(hinted.asked.length, before)
})

test('a RASL URL leads to no address of this machine or its network, to so many hosts, and to nothing but DASL', async t => {
  const block = { ...sample(1), cid: CID.createV1(RAW, sample(1).cid.multihash) }
  const { asked, url } = await holding(t, block)
  const port = new URL(url).port
  const host = await asking(t, { minBackoff: '1h', maxBackoff: '1h' })
  for (const hint of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `0x7f.1:${port}`, '169.254.169.254', '10.0.0.1:8080']) {
    const error = await t.throwsAsync(fetched(host, `rasl://${block.cid}/?hint=${encodeURIComponent(hint)}`), {
      code: 'E_BLOCK_UNAVAILABLE'
    })
    t.regex(error.message, /is no public address/, hint)
  }
  t.deepEqual(asked, [])
  const many = Array.from({ length: 20 }, (_, i) => `hint=127.0.0.${i + 2}`).join('&')
  const error = await t.throwsAsync(fetched(host, `rasl://${block.cid}/?${many}`))
  t.is(error.message.match(/is no public address/g)!.length, 8)
  await t.throwsAsync(fetched(host, `rasl://${block.cid}/`), { code: 'E_BLOCK_NOT_FOUND' })
  for (const wrong of [
    'https://host.example/',
    `rasl://${CID.createV1(0x70, block.cid.multihash)}/`,
    'rasl:',
    'rasl://x/',
    String(block.cid)
  ]) {
    await t.throwsAsync(fetched(host, wrong), { code: 'E_RETRIEVAL_URL' }, wrong)
  }
  for (const hint of ['a:b@127.0.0.1', '127.0.0.1/x', 'a b', '', '127.0.0.1?x']) {
    await t.throwsAsync(
      fetched(host, `rasl://${block.cid}/?hint=${encodeURIComponent(hint)}`),
      { code: 'E_BLOCK_NOT_FOUND' },
      `${hint} is no host`
    )
  }
})

test('a URL with credentials, and what is no URL of HTTP, is refused with its setting', async t => {
  for (const gateway of ['https://me:secret@gateway.example', 'ftp://gateway.example', 'gateway.example', 'https://a.example/?x=1']) {
    const error = await t.throwsAsync(testHost({ configuration: { plugins: { retrieval: { gateways: [gateway] } } as never } }))
    t.true(error.message.includes('gateways'), error.message)
  }
  await t.throwsAsync(testHost({ configuration: { plugins: { retrieval: { rasl: ['a/b'] } } as never } }))
})
