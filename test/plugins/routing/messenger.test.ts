import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import type { PeerConnection, PeerStream } from '../../../core/index.ts'
import { addProviderPieces, MESSAGE, type Message, readMessage, writeMessage } from '../../../plugins/routing/dht/message.ts'
import { Messenger } from '../../../plugins/routing/dht/messenger.ts'
import { frames, writeFrame } from '../../../plugins/routing/dht/wire.ts'
import { loadLibraries } from '../../../plugins/routing/libraries.ts'
import { until } from '../../helpers/until.ts'

const PEER = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const libraries = await loadLibraries()
const { signal } = new AbortController()
const request = (type: number): Message => ({ type, key: Buffer.from('a key'), closer: [], providers: [] })
const find = request(MESSAGE.FIND_NODE)
const add = request(MESSAGE.ADD_PROVIDER)

/** Both ends of a stream in memory. */
function streamPair(): { here: PeerStream; there: PeerStream } {
  const pipe = () => new TransformStream<Uint8Array>({}, {}, { highWaterMark: 16 })
  const [a, b] = [pipe(), pipe()]
  const [toHere, toThere] = [a.writable.getWriter(), b.writable.getWriter()]
  const stream = (readable: ReadableStream<Uint8Array>, writer: WritableStreamDefaultWriter<Uint8Array>): PeerStream => ({
    protocol: '/kad',
    peer: PEER,
    write: bytes => writer.write(bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes)),
    end: () => writer.close(),
    abort: error => {
      for (const one of [toHere, toThere]) one.abort(error).catch(() => {})
    },
    [Symbol.asyncIterator]: () => readable[Symbol.asyncIterator]()
  })
  return { here: stream(a.readable, toThere), there: stream(b.readable, toHere) }
}

/** A messenger whose streams `serve` answers. */
function messengerTo(serve: (there: PeerStream, index: number) => Promise<unknown>, requestTimeout = 10_000) {
  const streams: PeerStream[] = []
  const messenger = new Messenger({
    network: {
      connections: () => [{ limited: false } as PeerConnection],
      async open() {
        const { here, there } = streamPair()
        serve(there, streams.push(there) - 1).catch(() => {})
        return here
      }
    },
    protocol: '/kad',
    libraries,
    settings: { requestTimeout },
    async dial() {}
  })
  return { messenger, streams }
}

async function echo(there: PeerStream, most = Number.POSITIVE_INFINITY): Promise<void> {
  let count = 0
  for await (const frame of frames(there, 1024)) {
    await setTimeout(1)
    if (readMessage(frame, libraries, 20).type !== MESSAGE.ADD_PROVIDER) await writeFrame(there, frame, signal)
    if (++count === most) break
  }
}

test('requests to a peer go over one stream, one after the other; those at once over more', async t => {
  const { messenger, streams } = messengerTo(echo)
  for (let i = 0; i < 5; i++) t.deepEqual((await messenger.send(PEER, find, signal))?.key, Buffer.from(find.key))
  t.is(await messenger.send(PEER, request(MESSAGE.ADD_PROVIDER), signal), undefined)
  await messenger.send(PEER, find, signal)
  t.is(streams.length, 1)
  await Promise.all([1, 2, 3].map(() => messenger.send(PEER, find, signal)))
  t.is(streams.length, 3)
  messenger.stop()
})

test('a stream that the peer ends or breaks while it is kept is replaced, and the request is answered', async t => {
  const { messenger, streams } = messengerTo(async (there, index) => {
    await echo(there, 1)
    if (index % 2 === 0) await there.end()
    else there.abort(new Error('torn'))
  })
  for (let i = 0; i < 4; i++) t.deepEqual((await messenger.send(PEER, find, signal))?.key, Buffer.from(find.key))
  t.is(streams.length, 4)
  messenger.stop()
})

test('an answer that nobody asked for ends the stream, and is not taken for the next one', async t => {
  const { messenger, streams } = messengerTo(async (there, index) => {
    for await (const frame of frames(there, 1024)) {
      await writeFrame(there, frame, signal)
      if (index > 0) continue
      const forged = writeMessage({ ...find, key: Buffer.from('forged') }, libraries)
      await writeFrame(there, forged, signal)
    }
  })
  await messenger.send(PEER, find, signal)
  await setTimeout(20)
  t.deepEqual((await messenger.send(PEER, find, signal))?.key, Buffer.from(find.key))
  t.is(streams.length, 2)
  messenger.stop()
})

test('an answer to another request, none in time, and a stream that ends before it, are told', async t => {
  const other = messengerTo(async there => {
    for await (const _ of frames(there, 1024)) await writeFrame(there, writeMessage(request(MESSAGE.GET_VALUE), libraries), signal)
  })
  await t.throwsAsync(other.messenger.send(PEER, find, signal), { message: /another request/ })
  const silent = messengerTo(() => setTimeout(60_000, undefined, { ref: false }), 30)
  await t.throwsAsync(silent.messenger.send(PEER, find, signal), { message: /no answer came in time/ })
  const short = messengerTo(there => there.end())
  await t.throwsAsync(short.messenger.send(PEER, find, signal), { message: /ended before the answer/ })
  t.deepEqual(
    [other, silent, short].map(({ streams }) => streams.length),
    [1, 1, 1]
  )
})

test('what has no answer is told once more, too, where the peer is found to have ended the stream by the next request', async t => {
  const told: number[] = []
  const { messenger } = messengerTo(async (there, index) => {
    for await (const frame of frames(there, 1024)) {
      if (readMessage(frame, libraries, 20).type === MESSAGE.ADD_PROVIDER) told.push(index)
      else await writeFrame(there, frame, signal)
      if (index > 0) continue
      // the next one is written, and the one after
      await setTimeout(30)
      return there.end()
    }
  })
  await messenger.send(PEER, find, signal)
  await messenger.send(PEER, add, signal)
  t.deepEqual((await messenger.send(PEER, find, signal))?.key, Buffer.from(find.key))
  await until('it is told', () => told.length > 0)
  messenger.stop()
  t.true(told.every(index => index > 0))
})

for (const [what, over] of [
  ['ended', there => there.end()],
  ['broken', async there => there.abort(new Error('torn'))]
] as ReadonlyArray<readonly [string, (there: PeerStream) => Promise<void>]>) {
  test(`what has no answer is told once more where the peer has ${what} the stream before it came, and no third time`, async t => {
    const told: number[] = []
    const isWritten = Promise.withResolvers<void>()
    const { messenger, streams } = messengerTo(async (there, index) => {
      for await (const frame of frames(there, 1024)) {
        if (readMessage(frame, libraries, 20).type === MESSAGE.ADD_PROVIDER) {
          told.push(index)
          return over(there)
        }
        await writeFrame(there, frame, signal)
        if (index > 0) continue
        // it reads no more, and what is under way to it is lost
        await isWritten.promise
        return over(there)
      }
    })
    await messenger.send(PEER, find, signal)
    t.is(await messenger.send(PEER, add, signal), undefined)
    isWritten.resolve()
    await until('it is told', () => told.length > 0)
    await setTimeout(50)
    t.deepEqual(told, [1])
    t.is(streams.length, 2)
    messenger.stop()
  })
}

test('what has no answer is told once where the peer answers what comes after it, or nothing ends the stream', async t => {
  let told = 0
  const hasEnded = Promise.withResolvers<void>()
  const { messenger, streams } = messengerTo(async (there, index) => {
    for await (const frame of frames(there, 1024)) {
      const isTold = readMessage(frame, libraries, 20).type === MESSAGE.ADD_PROVIDER
      if (isTold) told++
      else await writeFrame(there, frame, signal)
      if (index > 0 || told === 0 || isTold) continue
      await there.end()
      hasEnded.resolve()
      return
    }
  })
  await messenger.send(PEER, find, signal)
  await messenger.send(PEER, add, signal)
  await messenger.send(PEER, find, signal)
  await hasEnded.promise
  await messenger.send(PEER, find, signal)
  await messenger.send(PEER, add, signal)
  messenger.stop()
  await until('it is told', () => told === 2)
  await setTimeout(50)
  t.is(told, 2)
  t.is(streams.length, 2)
})

test('an answer of the right type to an earlier request is not taken for that to the next', async t => {
  const { messenger, streams } = messengerTo(async (there, index) => {
    let count = 0
    for await (const frame of frames(there, 1024)) {
      const late = writeMessage({ ...find, key: Buffer.from('earlier') }, libraries)
      await writeFrame(there, index === 0 && ++count === 2 ? late : frame, signal)
    }
  })
  await messenger.send(PEER, find, signal)
  t.deepEqual((await messenger.send(PEER, find, signal))?.key, Buffer.from(find.key))
  t.is(streams.length, 2)
  // some, as the reference, answer without the key
  const bare = messengerTo(async there => {
    for await (const _ of frames(there, 1024)) await writeFrame(there, writeMessage({ ...find, key: Buffer.alloc(0) }, libraries), signal)
  })
  t.is((await bare.messenger.send(PEER, find, signal))?.type, MESSAGE.FIND_NODE)
  for (const one of [messenger, bare.messenger]) one.stop()
})

test('a request under way ends when the messenger stops, with its stream, and none is kept after', async t => {
  let broken = 0
  const arrived = Promise.withResolvers<void>()
  const { messenger } = messengerTo(async there => {
    try {
      for await (const _ of frames(there, 1024)) arrived.resolve()
    } catch {
      broken++
    }
  })
  const sent = messenger.send(PEER, find, signal)
  await arrived.promise
  messenger.stop()
  await t.throwsAsync(sent, { message: /stopped/ })
  await until('the stream is over', () => broken === 1)
  await t.throwsAsync(messenger.send(PEER, find, signal), { message: /stopped/ })
})

test('the caller’s signal ends the wait with its reason', async t => {
  const leaving = new AbortController()
  const { messenger } = messengerTo(() => setTimeout(60_000, undefined, { ref: false }))
  const sent = messenger.send(PEER, find, leaving.signal)
  await setTimeout(10)
  leaving.abort(new Error('gone'))
  await t.throwsAsync(sent, { message: 'gone' })
})

test('streams that are kept are ended when the messenger stops', async t => {
  let ended = 0
  const { messenger } = messengerTo(async there => {
    await echo(there)
    ended++
  })
  await Promise.all([1, 2].map(() => messenger.send(PEER, find, signal)))
  messenger.stop()
  await until('both have ended', () => ended === 2)
  t.pass()
})

const multihashes = Array.from({ length: 3_000 }, (_, i) =>
  Buffer.from([0x12, 32, ...Buffer.alloc(28), ...Buffer.from([i >> 8, i & 255, 0, 0])])
)
const provider = { id: PEER, addresses: ['/ip4/192.0.2.1/tcp/4001'] }

test('many records go over one stream in large pieces, whose memory is used again, and the answer behind them says that all were read', async t => {
  const read: Message[] = []
  const { messenger, streams } = messengerTo(async there => {
    for await (const frame of frames(there, 1024)) {
      const message = readMessage(frame, libraries, 20)
      // a stream in memory hands the writer's octets on, which are used again
      read.push({ ...message, key: Uint8Array.from(message.key) })
      if (message.type === MESSAGE.FIND_NODE) await writeFrame(there, frame, signal)
    }
  })
  const pieces = [...addProviderPieces(multihashes, provider, libraries)]
  t.true(pieces.length < 10 && pieces.every(({ length }) => length <= 65_536))
  for (let i = 0; i < 2; i++) await messenger.tellAll(PEER, take => addProviderPieces(multihashes, provider, libraries, take), find, signal)
  t.is(streams.length, 2)
  t.is(read.length, 6_002)
  const records = read.filter(({ type }) => type === MESSAGE.ADD_PROVIDER)
  t.deepEqual(
    records.map(({ key }) => Buffer.from(key)),
    [...multihashes, ...multihashes]
  )
  for (const message of records) {
    t.is(message.type, MESSAGE.ADD_PROVIDER)
    t.deepEqual(message.providers, [provider])
  }
  messenger.stop()
})

test('a peer that reads nothing, ends the stream, or answers nothing has not taken many records', async t => {
  const pieces = (take: () => Uint8Array) => addProviderPieces(multihashes, provider, libraries, take)
  const never = () => new Promise<void>(() => {})
  const drains = async (there: PeerStream) => {
    for await (const _ of there);
  }
  for (const serve of [never, drains]) {
    const { messenger } = messengerTo(serve, 50)
    await t.throwsAsync(messenger.tellAll(PEER, pieces, find, signal), { message: /no answer came in time/ })
    messenger.stop()
  }
  const ending = messengerTo(async there => {
    for await (const _ of there) break
    await there.end()
  })
  await t.throwsAsync(ending.messenger.tellAll(PEER, pieces, find, signal), { any: true })
  ending.messenger.stop()
  const left = messengerTo(drains)
  const over = new AbortController()
  const telling = left.messenger.tellAll(PEER, pieces, find, over.signal)
  over.abort(new Error('the caller has left'))
  await t.throwsAsync(telling, { message: 'the caller has left' })
  left.messenger.stop()
})
