/** Clients that take nothing of answers that are ended already: blocks, small answers, several on one connection. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { RAW } from '../../../../core/cid/index.ts'
import { type World, world } from '../world.ts'

const STALLED_MS = 1000
/** More than lies in the buffers of a connection. */
const LARGE = Buffer.alloc(16 << 20, 'large')
const SMALL = Buffer.alloc(12_000, 'small')

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

function client(t: ExecutionContext, { port }: World, requests: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  socket.write(requests)
  return socket
}

/** Reads nothing for a time, then all that comes. @returns bytes until the connection was closed */
async function readLate(socket: Socket): Promise<number> {
  socket.pause()
  await sleep(STALLED_MS * 4)
  let read = 0
  socket.on('data', piece => {
    read += piece.length
  })
  socket.resume()
  if (!socket.closed) await new Promise(resolve => socket.once('close', resolve))
  return read
}

for (const [what, requests, all] of [
  ['a large block', (large: string) => get(large), LARGE.length],
  ['many small blocks, asked for on one connection', (_: string, small: string) => get(small).repeat(2000), 2000 * SMALL.length],
  [
    'large redirections, asked for on one connection',
    (_: string, __: string, folder: string) => get(`${folder}?${'x'.repeat(500_000)}`).repeat(20),
    20 * 500_000
  ],
  [
    'error pages, asked for on one connection',
    () => `GET /ipfs/${'x'.repeat(12_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n`.repeat(1000),
    1000 * 12_000
  ]
] as const) {
  test(`a client that takes nothing of ${what}, loses its connection`, async t => {
    const at = await world(t, { settings: { stalledTimeoutMs: STALLED_MS } })
    const large = `/ipfs/${await at.put(LARGE, RAW)}?format=raw`
    const small = `/ipfs/${await at.put(SMALL, RAW)}?format=raw`
    const { root } = await at.add({ a: 'a' })
    const read = await readLate(client(t, at, requests(large, small, `/ipfs/${root}`)))
    t.true(read < all, `${read} of ${all} bytes`)
  })
}

test('a client that takes nothing of a block has its place until then', async t => {
  const at = await world(t, { settings: { stalledTimeoutMs: STALLED_MS, limits: { requestsPerCaller: 1 } } })
  const large = await at.put(LARGE, RAW)
  const socket = client(t, at, get(`/ipfs/${large}?format=raw`))
  await once(socket, 'readable')
  t.is((await at.get('/ipfs/bafkqaaa')).status, 429)
  let status = 429
  while (status === 429) {
    await sleep(20)
    status = (await at.get('/ipfs/bafkqaaa')).status
  }
  t.is(status, 200)
})

test('a client that takes a block a little at a time has all of it, and its connection for as long as others', async t => {
  const at = await world(t, { settings: { stalledTimeoutMs: STALLED_MS } })
  const large = await at.put(LARGE, RAW)
  const socket = client(t, at, get(`/ipfs/${large}?format=raw`))
  let read = 0
  let all = 0
  for await (const piece of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (read >> 19 !== (read + piece.length) >> 19) await sleep(STALLED_MS / 20)
    if (all === 0) all = piece.indexOf('\r\n\r\n') + 4 + LARGE.length
    read += piece.length
    if (read >= all) break
  }
  t.is(read, all)
  await sleep(STALLED_MS * 2)
  socket.write(get('/ipfs/bafkqaaa'))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  t.regex(answer.toString('latin1'), /HTTP\/1\.1 200 OK/)
})
