import { request as open } from 'node:http'
import { encode, prepare } from '@ipld/dag-pb'
import test from 'ava'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { Exchange, ready } from '../../../core/index.ts'
import { fieldOf } from '../../core/unixfs/export/blocks.ts'
import { emptyExchange, type World, world } from './world.ts'

const RAW = 0x55
const DAG_PB = 0x70
const CHUNK = 300_000
const MISSING = 'bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy'

/** A file of chunks, some of which may not be there. @param says - what it declares of each chunk's size, where that is not so */
async function file(at: World, chunks: ReadonlyArray<Uint8Array | undefined>, says?: number): Promise<string> {
  const node = new UnixFS({ type: 'file' })
  const links = []
  for (const chunk of chunks) {
    const hash = CID.parse(chunk === undefined ? MISSING : await at.put(chunk, RAW))
    node.addBlockSize(BigInt(says ?? chunk?.length ?? CHUNK))
    links.push({ Name: '', Tsize: CHUNK, Hash: hash })
  }
  return at.put(encode(prepare({ Data: node.marshal(), Links: links })), DAG_PB)
}

const chunk = (fill: string) => Buffer.alloc(CHUNK, fill)

test('a file of which a block is missing is broken off, and never ends in peace', async t => {
  const at = await world(t)
  const root = await file(at, [chunk('a'), chunk('b'), undefined])
  const answer = await at.get(`/ipfs/${root}`)
  t.is(answer.status, 200)
  t.true(answer.isCut)
  t.true(answer.bytes.length < 3 * CHUNK)
})

test('what lies around a missing block can be had by ranges', async t => {
  const at = await world(t)
  const root = await file(at, [chunk('a'), undefined, chunk('c')])
  for (const [range, text] of [
    ['bytes=0-2', 'aaa'],
    [`bytes=${2 * CHUNK}-${2 * CHUNK + 2}`, 'ccc'],
    ['bytes=-3', 'ccc']
  ] as const) {
    const answer = await at.get(`/ipfs/${root}`, { range })
    t.deepEqual([answer.status, answer.text, answer.isCut], [206, text, false], range)
  }
  const first = await file(at, [undefined, chunk('b')])
  const answer = await at.get(`/ipfs/${first}`, { range: 'bytes=-3' })
  t.deepEqual([answer.status, answer.text, answer.headers['content-type']], [206, 'bbb', 'application/octet-stream'])
  t.is((await at.get(`/ipfs/${first}`)).status, 404)
})

test('a file whose first block is missing, or does not come, is answered with an error that names the block, whatever told its type', async t => {
  const exchange = { get: (_: CID, options?: { signal?: AbortSignal }) => until(options?.signal) }
  const settings = { retrievalTimeoutMs: 50 }
  for (const [status, at] of [
    [404, await world(t)],
    [504, await world(t, { settings, services: [ready(Exchange, exchange)] })]
  ] as const) {
    const first = await file(at, [undefined, chunk('b')])
    for (const [query, range] of [
      ['', undefined],
      ['?filename=a.txt', undefined],
      ['?filename=a.txt', 'bytes=0-2'],
      ['?filename=a.txt', `bytes=0-2,${CHUNK}-${CHUNK + 2}`]
    ] as const) {
      const answer = await at.get(`/ipfs/${first}${query}`, range === undefined ? {} : { range })
      t.deepEqual([answer.status, answer.isCut, answer.headers['etag']], [status, false, undefined], `${query} ${range}`)
      t.true(answer.text.includes(MISSING), answer.text)
    }
    const later = await at.get(`/ipfs/${first}?filename=a.txt`, { range: `bytes=${CHUNK}-${CHUNK + 2},0-2` })
    t.deepEqual([later.status, later.isCut], [206, true])
  }
})

test('HEAD of a file reads its root, and the first block where no name tells its type: what is missing behind that is told by GET alone', async t => {
  const { asked, exchange } = emptyExchange()
  const at = await world(t, { services: [ready(Exchange, exchange)] })
  const head = (path: string, headers = {}) => at.ask({ method: 'HEAD', path, headers })
  const first = await file(at, [undefined, chunk('b')])
  const range = { range: 'bytes=0-2' }
  const named = await head(`/ipfs/${first}?filename=a.txt`)
  t.like(named.headers, { 'content-length': String(2 * CHUNK), 'content-type': 'text/plain; charset=utf-8', etag: `"${first}"` })
  const part = await head(`/ipfs/${first}?filename=a.txt`, range)
  t.deepEqual([named.status, part.status, part.headers['content-length']], [200, 206, '3'])
  t.deepEqual(asked.splice(0), [])
  const unnamed = await head(`/ipfs/${first}`)
  const got = await at.get(`/ipfs/${first}?filename=a.txt`)
  t.deepEqual([unnamed.status, got.status], [got.status, 500], got.text)
  t.deepEqual(asked.splice(0), [MISSING, MISSING])
  const later = await head(`/ipfs/${await file(at, [chunk('a'), undefined])}`)
  t.deepEqual([later.status, later.headers['content-length']], [200, String(2 * CHUNK)])
  t.deepEqual(asked, [])
  // a block is read for the answer to either
  for (const format of ['raw', 'car']) t.is((await head(`/ipfs/${MISSING}?format=${format}`)).status, 500)
})

test('a file that is not as long as it says is an error, or broken off where that shows after its beginning', async t => {
  const at = await world(t)
  for (const size of [CHUNK + 1, CHUNK - 1]) {
    const first = await at.get(`/ipfs/${await file(at, [chunk('a'), chunk('b')], size)}`)
    t.deepEqual([first.status, first.isCut, first.headers['etag']], [500, false, undefined])
    t.regex(first.text, new RegExp(`the node \\w+ of the file has ${CHUNK} bytes, and ${size} by the node above it\\n$`))
  }
  const second = await at.get(`/ipfs/${await file(at, [chunk('a'), Buffer.alloc(3)], CHUNK)}`)
  t.deepEqual([second.status, second.headers['content-length'], second.isCut], [200, String(2 * CHUNK), true])
})

test('a file that has no bytes at all where it says that it has some is answered with an error, not broken off without one', async t => {
  const at = await world(t)
  const short = await file(at, [chunk('a'), Buffer.alloc(0)])
  const says = await file(at, [chunk('a'), Buffer.alloc(0)], CHUNK)
  const hollow = await file(at, [Buffer.alloc(0)], 5)
  t.is((await at.get(`/ipfs/${short}`)).bytes.length, CHUNK)
  for (const [path, headers] of [
    [`/ipfs/${says}`, { range: 'bytes=-5' }],
    [`/ipfs/${says}?filename=a.txt`, { range: `bytes=${CHUNK}-` }],
    [`/ipfs/${says}?filename=a.txt`, { range: `bytes=${CHUNK}-${CHUNK},0-0` }],
    [`/ipfs/${hollow}`, {}],
    [`/ipfs/${hollow}?filename=a.txt`, {}]
  ] as const) {
    const answer = await at.get(path, headers)
    t.deepEqual([answer.status, answer.isCut, answer.headers['etag']], [500, false, undefined], path)
    t.regex(answer.text, /the node \w+ of the file has 0 bytes, and \d+ by the node above it\n$/)
  }
})

test('a folder with a missing shard is broken off behind what is there', async t => {
  const at = await world(t)
  const dir = new UnixFS({ type: 'hamt-sharded-directory', fanout: 256n, hashType: 0x22n, data: fieldOf([0x5d, 0x5e]) })
  const some = CID.parse(await at.put(Buffer.from('x'), RAW))
  const links = [
    { Name: '5Dhere.txt', Tsize: 1, Hash: some },
    { Name: '5E', Tsize: 1, Hash: CID.createV1(DAG_PB, CID.parse(MISSING).multihash) }
  ]
  const root = await at.put(encode(prepare({ Data: dir.marshal(), Links: links })), DAG_PB)
  const answer = await at.get(`/ipfs/${root}/`)
  t.is(answer.status, 200)
  t.true(answer.isCut)
})

test('a block that does not come is waited for no longer than the setting says, and the answer names it', async t => {
  const exchange = { get: (_: CID, options?: { signal?: AbortSignal }) => until(options?.signal) }
  const at = await world(t, { settings: { retrievalTimeoutMs: 50 }, services: [ready(Exchange, exchange)] })
  const { status, text } = await at.get(`/ipfs/${MISSING}`)
  t.is(status, 504)
  t.regex(text, new RegExp(`^Unable to retrieve content within timeout period: the block ${MISSING} did not come within 50 ms`))
  const page = await at.get(`/ipfs/${MISSING}`, { accept: 'text/html' })
  t.regex(page.text, /<h1>504 Gateway Timeout<\/h1>/)
})

test('a request takes no longer than the setting says, whether its blocks are stored here or not', async t => {
  const at = await world(t, { settings: { requestTimeoutMs: 1 } })
  const small = Array.from({ length: 4000 }, (_, i) => Buffer.from(String(i).padStart(100)))
  const root = await file(at, small, 100)
  for (const form of ['', '?format=car', '?format=tar']) {
    const { status, text, isCut } = await at.get(`/ipfs/${root}${form}`)
    if (status === 200) t.true(isCut, form)
    else t.regex(text, /^Unable to retrieve content within timeout period: the request took more than 1 ms /, form)
  }
})

/** Rejects when a signal fires. */
function until(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

test('a reader who leaves ends the work of its request', async t => {
  let left: (reason: unknown) => void
  const gone = new Promise(resolve => {
    left = resolve
  })
  let asked: () => void
  const begun = new Promise<void>(resolve => {
    asked = resolve
  })
  const exchange = {
    get(_: CID, options?: { signal?: AbortSignal }) {
      options?.signal?.addEventListener('abort', () => left(options.signal?.reason), { once: true })
      asked()
      return until(options?.signal)
    }
  }
  const at = await world(t, { services: [ready(Exchange, exchange)] })
  const outgoing = open({ host: '127.0.0.1', port: at.port, path: `/ipfs/${MISSING}`, agent: false })
  outgoing.on('error', () => {})
  outgoing.end()
  await begun
  outgoing.destroy()
  t.truthy(await gone)
})

test('nothing is fetched where Gateway.NoFetch says so, nor for only-if-cached', async t => {
  let asked = 0
  const exchange = {
    get() {
      asked++
      return Promise.reject(new Error('nobody has it'))
    }
  }
  const closed = await world(t, { config: { 'Gateway.NoFetch': true }, services: [ready(Exchange, exchange)] })
  t.is((await closed.get(`/ipfs/${MISSING}`)).status, 404)
  const at = await world(t, { services: [ready(Exchange, exchange)] })
  t.is((await at.get(`/ipfs/${MISSING}/a`, { 'cache-control': 'only-if-cached' })).status, 412)
  t.is(asked, 0)
})

test('requests beyond the limit are told when to come back', async t => {
  let asked: () => void
  const begun = new Promise<void>(resolve => {
    asked = resolve
  })
  const exchange = {
    get(_: CID, options?: { signal?: AbortSignal }) {
      asked()
      return until(options?.signal)
    }
  }
  const settings = { limits: { requests: 1, retryAfterSeconds: 7 } }
  const at = await world(t, { settings, services: [ready(Exchange, exchange)] })
  const first = open({ host: '127.0.0.1', port: at.port, path: `/ipfs/${MISSING}`, agent: false })
  first.on('error', () => {})
  first.end()
  await begun
  const { status, headers, text } = await at.get('/ipfs/bafkqaaa')
  t.deepEqual([status, headers['retry-after'], headers['cache-control']], [429, '7', 'no-store'])
  t.is(text, 'Too many requests. Please retry after 7 seconds.\n')
  first.destroy()
})

test('a gateway without files gives blocks alone, and configured fields stand in every answer', async t => {
  const config = {
    'Gateway.DeserializedResponses': false,
    'Gateway.DisableHTMLErrors': true,
    'Gateway.RootRedirect': '/ipfs/bafkqaaa',
    'Gateway.HTTPHeaders': {
      'X-Mine': ['one', 'two'],
      Vary: ['Origin'],
      'Cache-Control': ['no-store'],
      'Access-Control-Expose-Headers': ['X-Mine']
    }
  }
  const at = await world(t, { config })
  const { root } = await at.add({ 'a.txt': 'a' })
  const refused = await at.get(`/ipfs/${root}/a.txt`, { accept: 'text/html' })
  t.deepEqual([refused.status, refused.headers['content-type']], [406, 'text/plain; charset=utf-8'])
  t.is(refused.headers['cache-control'], 'no-store')
  t.is(refused.headers['x-mine'], 'one, two')
  t.regex(String(refused.headers['access-control-expose-headers']), /X-Ipfs-Roots, X-Mine, X-Stream-Output/)
  t.is((await at.get(`/ipfs/${root}?format=tar`)).status, 406)
  const block = await at.get(`/ipfs/${root}?format=raw`)
  t.deepEqual([block.status, block.headers['cache-control']], [200, 'public, max-age=29030400, immutable'])
  t.is(block.headers.vary, 'Origin')
  t.is((await at.get(`/ipfs/${root}`, { accept: 'application/vnd.ipld.raw' })).headers.vary, 'Origin, Accept')
  const there = await at.get('/nowhere')
  t.deepEqual([there.status, there.headers.location], [302, '/ipfs/bafkqaaa'])
})

test('an answer replaces a configured field where another one was taken away, too', async t => {
  const config = { 'Gateway.HTTPHeaders': { 'Access-Control-Allow-Origin': [], 'Cache-Control': ['no-store'] } }
  const at = await world(t, { config })
  const block = await at.get('/ipfs/bafkqaaa?format=raw')
  t.deepEqual(
    [block.headers['cache-control'], block.headers['access-control-allow-origin']],
    ['public, max-age=29030400, immutable', undefined]
  )
  t.is((await at.get('/ipfs/nope')).headers['cache-control'], 'no-store')
})
