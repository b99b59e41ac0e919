/** Content made to cost a gateway much, and clients of it that neither read nor send. */
import { once } from 'node:events'
import { type IncomingMessage, request as open } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as dagCbor from '@ipld/dag-cbor'
import { encode, prepare } from '@ipld/dag-pb'
import test from 'ava'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { MOST_FILENAME } from '../../plugins/gateway/reply/disposition.ts'
import { startTarget, type Target } from './support/node.ts'

const MIB = 1 << 20
/** Longest that the node may compute without looking at anything else, in times that this machine takes to parse a mebibyte of JSON. */
const TURN = 20
/** Blocks of data up to this size are read before they are sent. */
const READ = 262_144

const JSON_TEXT = `[${'{"a":1},'.repeat(MIB / 8)}0]`

/** A turn in the time that this machine takes just now to parse a mebibyte of JSON: both in milliseconds of processor time. */
function inUnits(turn: number): number {
  const busy = () => process.threadCpuUsage().user + process.threadCpuUsage().system
  const taken = Array.from({ length: 9 }, () => {
    const before = busy()
    JSON.parse(JSON_TEXT)
    return (busy() - before) / 1000
  })
  return turn / Math.min(...taken)
}

let target: Target
let port: number
test.before(async () => {
  target = await startTarget()
  port = await target.gatewayPort()
  // code that runs for the first time takes longer
  const warm = await put(dagCbor.encode(Array.from({ length: 1000 }, (_, i) => [i, `${i}`, { i }])), 'dag-cbor')
  for (let i = 0; i < 20; i++) await get(`/ipfs/${warm}/`)
})
test.after.always(() => target?.stop())

async function put(bytes: Uint8Array, codec: string): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([Buffer.from(bytes)]))
  const response = await fetch(`http://127.0.0.1:${target.port}/api/v0/block/put?cid-codec=${codec}&allow-big-block=true`, {
    method: 'POST',
    body
  })
  return ((await response.json()) as { Key: string }).Key
}

async function get(path: string): Promise<{ status: number; bytes: number }> {
  const outgoing = open({ host: '127.0.0.1', port, path, headers: { accept: 'text/html' }, agent: false })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const piece of response) bytes += piece.length
  return { status: response.statusCode!, bytes }
}

/** A client that asks, and reads nothing of the answer. */
function stalled(path: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n`)
  return socket
}

/** Reads what a client has not taken so far. @returns how many bytes came until the last chunk */
function toTheEnd(socket: Socket): Promise<number> {
  let read = 0
  let end = ''
  const whole = new Promise<number>((resolve, reject) => {
    socket.once('close', () => reject(new Error('the connection was broken off')))
    socket.on('data', (piece: Buffer) => {
      read += piece.length
      end = (end + piece.toString('latin1')).slice(-5)
      if (end === '0\r\n\r\n') resolve(read)
    })
  })
  socket.resume()
  return whole
}

const nested = (size: number) => Buffer.concat([Buffer.alloc(size - 1, 0x81), Buffer.from([0])])
const json = (text: string) => Buffer.from(text)
const SHAPES: ReadonlyArray<readonly [what: string, codec: string, bytes: Uint8Array]> = [
  ['a nest of CBOR', 'dag-cbor', nested(READ)],
  ['a nest of CBOR that is not read', 'dag-cbor', nested(MIB)],
  ['a nest of JSON', 'dag-json', json('['.repeat(READ / 2) + ']'.repeat(READ / 2))],
  ['a nest of JSON that is not read', 'dag-json', json('['.repeat(MIB / 2) + ']'.repeat(MIB / 2))],
  ['many numbers', 'dag-json', json(`[${'1,'.repeat(READ / 2 - 2)}1]`)],
  ['many empty maps', 'dag-json', json(`[${'{},'.repeat(READ / 3 - 2)}{}]`)],
  ['many entries', 'dag-cbor', dagCbor.encode(Object.fromEntries(Array.from({ length: 25_000 }, (_, i) => [`k${i}`, i])))],
  ['a long text', 'dag-cbor', dagCbor.encode('<'.repeat(READ - 10))],
  ['a long key', 'dag-cbor', dagCbor.encode({ ['"'.repeat(READ - 10)]: 1 })]
]

for (const [what, codec, bytes] of SHAPES) {
  test.serial(`${what} is shown, or not, within one turn that others do not feel`, async t => {
    const cid = await put(bytes, codec)
    await sleep(200)
    let turn = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3; i++) {
      await target.vitals(true)
      const page = await get(`/ipfs/${cid}/`)
      t.is(page.status, 200)
      t.true(page.bytes < 200_000, `the page has ${page.bytes} bytes`)
      turn = Math.min(turn, (await target.vitals()).turn)
    }
    const units = inUnits(turn)
    t.log(`${Math.round(turn)} ms, ${units.toFixed(1)} times a mebibyte of JSON`)
    t.true(units < TURN)
  })
}

const folder = (links: ReadonlyArray<readonly [name: string, cid: CID]>) =>
  put(
    encode(prepare({ Data: new UnixFS({ type: 'directory' }).marshal(), Links: links.map(([Name, Hash]) => ({ Name, Tsize: 1, Hash })) })),
    'dag-pb'
  )
const EMPTY = CID.parse('bafkqaaa')

test.serial('a name as long as a block is shown by its beginning', async t => {
  const cid = await folder([['"'.repeat(1_000_000), EMPTY]])
  const page = await get(`/ipfs/${cid}/`)
  t.is(page.status, 200)
  t.true(page.bytes < 20_000, `the page has ${page.bytes} bytes`)
})

const WIDE = 1_900_000
const SEARCHED: ReadonlyArray<readonly [what: string, names: readonly string[]]> = [
  ['forty thousand names', Array.from({ length: 40_000 }, (_, i) => i.toString(36).padStart(4, '0'))],
  ['names of marks that are out of order', Array.from({ length: 400 }, (_, i) => `${i}${'\u0301\u0323'.repeat(1000)}`)],
  ['one name as long as a block', ['"'.repeat(WIDE)]]
]
for (const [what, names] of SEARCHED) {
  test.serial(`a search that finds nothing in ${what} ends within turns that others do not feel`, async t => {
    const cid = await folder(names.map(name => [name, EMPTY] as const))
    let turn = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3; i++) {
      await target.vitals(true)
      const page = await get(`/ipfs/${cid}/?search=zzzzz`)
      t.is(page.status, 200)
      t.true(page.bytes < 20_000, `the page has ${page.bytes} bytes`)
      turn = Math.min(turn, (await target.vitals()).turn)
    }
    t.true(inUnits(turn) < TURN, `${turn} ms`)
  })
}

/** Shorter than `plugins.gateway.limits.queryBytes`. */
const QUERY = 65_000
const QUERIES: ReadonlyArray<readonly [what: string, query: string, accept: string, status?: number]> = [
  ['very many keys without a value', 'a&'.repeat(QUERY / 2), 'text/html'],
  ['as many beside a form that Accept chooses', 'a&'.repeat(QUERY / 2), 'application/vnd.ipld.raw'],
  ['as many in escapes', '%61&'.repeat(QUERY / 4), 'application/vnd.ipld.raw'],
  ['as many in escapes that are no text', '%ff&'.repeat(QUERY / 4), 'application/vnd.ipld.raw'],
  ['as many in small letters', '%6a&'.repeat(QUERY / 4), 'application/vnd.ipld.raw'],
  ['very many separators between two keys', `a${'&'.repeat(QUERY)}b`, 'application/vnd.ipld.raw'],
  ['as many beside the address of a site', `uri=&${'a&'.repeat(QUERY / 2 - 5)}`, 'text/html'],
  ['a file name of blanks', `filename=${'+'.repeat(MOST_FILENAME)}`, 'text/html'],
  ['a file name that is longer than any', `filename=${'+'.repeat(QUERY)}`, 'text/html', 400]
]
for (const [what, query, accept, status = 200] of QUERIES) {
  test.serial(`a query of ${what} is read within one turn that others do not feel`, async t => {
    const cid = await put(Buffer.from('a file'), 'raw')
    let turn = Number.POSITIVE_INFINITY
    for (let i = 0; i < 4; i++) {
      await target.vitals(true)
      const socket = connect(port, '127.0.0.1')
      const head = `GET /ipfs/${cid}?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`
      socket.end(head)
      const pieces: Buffer[] = []
      for await (const piece of socket as AsyncIterable<Buffer>) pieces.push(piece)
      t.true(Buffer.concat(pieces).toString('latin1').startsWith(`HTTP/1.1 ${status} `))
      turn = Math.min(turn, (await target.vitals()).turn)
    }
    const units = inUnits(turn)
    t.log(`${Math.round(turn)} ms, ${units.toFixed(1)} times a mebibyte of JSON`)
    t.true(units < TURN)
  })
}

test.serial('a query that is longer than the limit is refused before anything of it is read', async t => {
  const cid = await put(Buffer.from('a file'), 'raw')
  t.is((await get(`/ipfs/${cid}?x=${'a'.repeat(65_536 - 2)}`)).status, 200)
  t.is((await get(`/ipfs/${cid}?x=${'a'.repeat(65_537 - 2)}`)).status, 414)
})

test.serial('300 clients that read nothing of a page of values hold little', async t => {
  const cid = await put(dagCbor.encode(Array.from({ length: 1900 }, () => '<"&'.repeat(40))), 'dag-cbor')
  t.true((await get(`/ipfs/${cid}/`)).bytes < 250_000)
  await sleep(1000)
  const before = await target.vitals()
  const clients = Array.from({ length: 300 }, () => stalled(`/ipfs/${cid}/`))
  await sleep(3000)
  const after = await target.vitals()
  for (const client of clients) client.destroy()
  t.true(after.memory - before.memory < 200 * MIB, `memory grew by ${(after.memory - before.memory) / MIB} MiB`)
})

/**
 * Bytes of buffers once the clients have all stopped: until their connections are full, the node reads blocks for them, and how long that takes depends
 * on what else the machine does.
 */
async function buffersAtRest(): Promise<number> {
  let last = Number.NaN
  let same = 0
  while (same < 4) {
    await sleep(500)
    const { buffers } = await target.held()
    same = Math.abs(buffers - last) < MIB / 4 ? same + 1 : 0
    last = buffers
  }
  return last
}

test.serial('60 clients that read nothing of listings hold no block of them, and have the rest when they go on', async t => {
  // blocks of 1.9 MB, and pages of six: more than a connection takes by itself
  const cids: string[] = []
  for (let n = 0; n < 60; n++) cids.push(await folder(Array.from({ length: 1000 }, (_, i) => [`${n} ${i}${'-'.repeat(1900)}`, EMPTY])))
  const { bytes: whole } = await get(`/ipfs/${cids[0]}/`)
  await sleep(1000)
  const before = await target.held()
  const clients = cids.map(cid => stalled(`/ipfs/${cid}/`))
  const grown = (await buffersAtRest()) - before.buffers
  const read = await toTheEnd(clients[0]!)
  for (const client of clients) client.destroy()
  t.true(read > whole)
  t.true(grown < 24 * MIB, `buffers grew by ${grown / MIB} MiB`)
})

test.serial('a graph whose nodes link to one child a thousand times, thirty deep, is a CAR of thirty blocks', async t => {
  let cid = CID.parse(await put(Buffer.from('leaf'), 'raw'))
  for (let i = 0; i < 30; i++) {
    const child = cid
    cid = CID.parse(await folder(Array.from({ length: 1000 }, (_, n) => [String(n), child])))
  }
  await sleep(500)
  await target.vitals(true)
  const before = await target.vitals()
  const car = await get(`/ipfs/${cid}?format=car`)
  const after = await target.vitals()
  t.is(car.status, 200)
  t.true(car.bytes < 2 * MIB)
  t.true(inUnits(after.turn) < TURN, `${after.turn} ms`)
  t.true(after.most - before.memory < 64 * MIB, `${(after.most - before.memory) / MIB} MiB`)
  // one that writes each visit never ends, and costs what its reader takes
  const reader = stalled(`/ipfs/${cid}?format=car&car-dups=y`)
  await sleep(2000)
  const held = await target.vitals()
  reader.destroy()
  t.true(inUnits(held.turn) < TURN, `${held.turn} ms`)
  t.true(held.most - before.memory < 96 * MIB, `${(held.most - before.memory) / MIB} MiB`)
})

for (const [method, status] of [
  ['GET', 200],
  ['POST', 405],
  ['OPTIONS', 200]
] as const) {
  for (const [framing, body] of [
    ['Content-Length: 1000000', 'abc'],
    ['Transfer-Encoding: chunked', '5\r\nab']
  ] as const) {
    test.serial(`${method} whose body falls silent (${framing}) is answered, and its connection closed`, async t => {
      const socket = connect(port, '127.0.0.1')
      const began = performance.now()
      let text = ''
      socket.on('error', () => {})
      socket.on('data', piece => {
        text += piece
      })
      socket.write(`${method} /ipfs/bafkqaaa HTTP/1.1\r\nHost: 127.0.0.1\r\n${framing}\r\n\r\n${body}`)
      await once(socket, 'close')
      t.true(text.startsWith(`HTTP/1.1 ${status} `), text)
      t.true(performance.now() - began < 20_000)
    })
  }
}
