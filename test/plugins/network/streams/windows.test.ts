/** The node's muxer and the library's own, each at either end of a connection in memory. */
import { yamux } from '@chainsafe/libp2p-yamux'
import type { MultiaddrConnection, Stream, StreamMessageEvent, StreamMuxer, StreamMuxerFactory } from '@libp2p/interface'
import { multiaddrConnectionPair } from '@libp2p/utils'
import test, { type ExecutionContext } from 'ava'
import { withFewUpdates } from '../../../../plugins/network/streams/windows.ts'
import { until } from '../../../helpers/until.ts'

const WINDOW = 16 * 1024 * 1024
const library = (): StreamMuxerFactory =>
  yamux({ enableKeepAlive: false, streamOptions: { maxStreamWindowSize: WINDOW, maxReadBufferLength: WINDOW } })()
const ends = { ours: () => withFewUpdates(library()), library }

/** Octets of a frame's head: what kind it is stands in the second. */
const [HEAD, WINDOW_UPDATE] = [12, 1]

interface Ends {
  readonly out: Stream
  readonly into: Stream
  /** Window updates that the side that reads has sent. */
  updates(): number
}

/** A stream between two muxers. */
async function opened(t: ExecutionContext, near: keyof typeof ends, far: keyof typeof ends): Promise<Ends> {
  const [outbound, inbound] = multiaddrConnectionPair()
  const muxer = (connection: MultiaddrConnection, make: () => StreamMuxerFactory): StreamMuxer => make().createStreamMuxer(connection)
  let updates = 0
  const send = inbound.send.bind(inbound)
  inbound.send = data => {
    const head = data.subarray(0, HEAD)
    if (data.byteLength === HEAD && head[1] === WINDOW_UPDATE) updates++
    return send(data)
  }
  const [client, server] = [muxer(outbound, ends[near]), muxer(inbound, ends[far])]
  t.teardown(() => {
    outbound.abort(new Error('over'))
    inbound.abort(new Error('over'))
  })
  const incoming = new Promise<Stream>(resolve => server.addEventListener('stream', ({ detail }) => resolve(detail), { once: true }))
  const out = await client.createStream()
  return { out, into: await incoming, updates: () => updates }
}

/** The octets that come, from now on. */
function received(stream: Stream): { readonly bytes: () => Buffer } {
  const parts: Uint8Array[] = []
  stream.addEventListener('message', ({ data }: StreamMessageEvent) => void parts.push(data.subarray().slice()))
  return { bytes: () => Buffer.concat(parts) }
}

for (const near of ['ours', 'library'] as const)
  for (const far of ['ours', 'library'] as const)
    test(`more than a window goes both ways between ${near} and ${far}`, async t => {
      const { out, into } = await opened(t, near, far)
      for (const [from, to] of [
        [out, into],
        [into, out]
      ] as const) {
        const got = received(to)
        const sent = Buffer.from(Uint8Array.from({ length: 2_000_003 }, (_, at) => at * 7))
        for (let at = 0; at < sent.length; at += 100_000) {
          while (from.writableNeedsDrain) await new Promise(resolve => from.addEventListener('drain', resolve, { once: true }))
          from.send(sent.subarray(at, at + 100_000))
        }
        await until('all came', () => got.bytes().length >= sent.length)
        t.true(got.bytes().equals(sent))
      }
    })

test('short messages are not each answered by a frame that tells of room', async t => {
  const count = async (far: keyof typeof ends) => {
    const { out, into, updates } = await opened(t, 'ours', far)
    const got = received(into)
    for (let i = 0; i < 1000; i++) {
      out.send(Buffer.alloc(1000, i))
      await new Promise(resolve => setImmediate(resolve))
    }
    await until('all came', () => got.bytes().length === 1_000_000)
    return updates()
  }
  const [ours, others] = [await count('ours'), await count('library')]
  t.true(others > 100, `${others} of the library`)
  t.true(ours > 1 && ours < 20, `${ours} of its own`)
})
