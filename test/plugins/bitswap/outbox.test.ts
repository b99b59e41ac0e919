import test from 'ava'
import { Budget } from '../../../core/concurrency/index.ts'
import type { PeerStream } from '../../../core/index.ts'
import { Outbox } from '../../../plugins/bitswap/peers/outbox.ts'
import { PeerWants } from '../../../plugins/bitswap/server/peer-wants.ts'
import { bitswapSettings } from '../../../plugins/bitswap/settings.ts'
import { decodeMessage } from '../../../plugins/bitswap/wire/decode.ts'
import { encodeMessage, encodeParts } from '../../../plugins/bitswap/wire/encode.ts'
import { frames } from '../../../plugins/bitswap/wire/frames.ts'
import { keyOf, MOST_BYTES, MOST_PARTS, PROTOCOLS, type Received, type WantEntry } from '../../../plugins/bitswap/wire/message.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { until } from '../../helpers/until.ts'
import { sample, samples } from '../storage/samples.ts'

const SETTINGS = bitswapSettings.parse({})
const NO_INDEX = { added() {}, removed() {} }
const FREE = { take() {}, give() {} }

/** A peer that takes each message when it is let, and what it was sent. */
class Taker {
  readonly store = new MemoryBlockstore()
  readonly wants = new PeerWants(NO_INDEX, 1024)
  readonly messages: Received[] = []
  readonly outbox: Outbox
  protocol: string = PROTOCOLS[0]
  failures: unknown[] = []
  opened = 0
  /** Resolves when a message is being written; it is written when `let` is called. */
  onWrite: () => Promise<void> = async () => {}
  /** Called when the outbox looks for what there is to send. */
  onLook = () => {}

  constructor() {
    this.outbox = new Outbox({
      peer: 'peer',
      wants: this.wants,
      store: this.store,
      budget: new Budget(SETTINGS.maxSending),
      settings: SETTINGS,
      room: () => {
        this.onLook()
        return Number.POSITIVE_INFINITY
      },
      open: async () => this.#stream(),
      sent() {},
      answered() {},
      failed: error => void this.failures.push(error)
    })
  }

  #stream(): PeerStream {
    this.opened++
    return {
      protocol: this.protocol,
      peer: 'peer',
      write: async bytes => {
        await this.onWrite()
        const source = (async function* () {
          yield* bytes instanceof Uint8Array ? [bytes] : bytes
        })()
        for await (const frame of frames(source, FREE, () => {})) this.messages.push(decodeMessage(frame))
      },
      end: async () => {},
      abort() {},
      async *[Symbol.asyncIterator]() {}
    }
  }
}

const wanting = (cid: WantEntry['cid'], kind: WantEntry['kind'] = 'block'): WantEntry => ({
  cid,
  priority: 1,
  cancel: false,
  kind,
  sendDontHave: true
})

test('a block that is stored while the peer is told that it is not here is sent after that', async t => {
  const taker = new Taker()
  const { cid, bytes, multihash } = sample(1)
  const written = Promise.withResolvers<void>()
  const mayGo = Promise.withResolvers<void>()
  taker.onWrite = async () => {
    written.resolve()
    await mayGo.promise
  }
  taker.wants.add(wanting(cid))
  taker.outbox.wake()
  await written.promise
  await taker.store.putBytes(multihash, bytes)
  if (taker.wants.stored(keyOf(cid))) taker.outbox.wake()
  mayGo.resolve()
  await until('both messages are there', () => taker.messages.length === 2)
  t.deepEqual(
    taker.messages[0]!.presences.map(({ have }) => have),
    [false]
  )
  t.deepEqual(Buffer.from(taker.messages[1]!.blocks[0]!.data), Buffer.from(bytes))
  t.deepEqual(taker.wants.cids(), [])
  await taker.outbox.stop()
})

test('a block that is stored while it is looked for is found in the end', async t => {
  const taker = new Taker()
  const { cid, bytes, multihash } = sample(1)
  const find = taker.store.sizeOf.bind(taker.store)
  let looks = 0
  taker.store.sizeOf = async of => {
    const size = await find(of)
    if (looks++ > 0) return size
    await taker.store.putBytes(multihash, bytes)
    taker.wants.stored(keyOf(cid))
    return size
  }
  taker.wants.add(wanting(cid))
  taker.outbox.wake()
  await until('the block is sent', () => taker.messages.at(-1)?.blocks.length === 1)
  t.deepEqual(
    taker.messages.flatMap(({ presences }) => presences),
    []
  )
  await taker.outbox.stop()
})

test('what is asked for in one turn goes in one message, and a message breaks no stream twice', async t => {
  const taker = new Taker()
  const all = samples(300)
  for (const { cid } of all) taker.outbox.ask(cid, 'block')
  await until('it is sent', () => taker.messages.length === 1)
  const sent = [...taker.messages[0]!.wants()]
  t.deepEqual(
    sent.map(({ cid }) => cid.toString()),
    all.map(({ cid }) => cid.toString())
  )
  t.true(sent.every(({ priority }, i) => i === 0 || priority < sent[i - 1]!.priority))
  let breaks = 1
  taker.onWrite = async () => {
    if (breaks-- > 0) throw new Error('reset')
  }
  taker.outbox.cancel(all[0]!.cid)
  await until('it is sent over another stream', () => taker.messages.length === 2)
  t.is(taker.opened, 2)
  t.deepEqual(taker.failures, [])
  await taker.outbox.stop()
})

test('what the network writes at the end of a turn is written before the outbox goes on', async t => {
  const taker = new Taker()
  const { cid, bytes, multihash } = sample(1)
  await taker.store.putBytes(multihash, bytes)
  const order: string[] = []
  taker.onWrite = async () => void setImmediate(() => order.push('on its way'))
  taker.onLook = () => void order.push('looked')
  taker.wants.add(wanting(cid))
  taker.outbox.wake()
  await until('it was sent', () => order.length === 3)
  t.deepEqual(order, ['looked', 'on its way', 'looked'])
  await taker.outbox.stop()
})

test('a small block is sent to who only asks for it, a large one is named, a huge one is not here', async t => {
  const taker = new Taker()
  const [small, large, huge] = [sample(1, 1024), sample(2, 1025), sample(3, SETTINGS.maxBlock + 1)]
  for (const { multihash, bytes } of [small, large, huge]) await taker.store.putBytes(multihash, bytes)
  for (const { cid } of [small, large]) taker.wants.add(wanting(cid, 'have'))
  taker.wants.add(wanting(huge.cid))
  taker.outbox.wake()
  await until('it is answered', () => taker.messages.length === 1)
  const [{ blocks, presences }] = taker.messages as [Received]
  t.deepEqual(
    blocks.map(({ data }) => data.length),
    [1024]
  )
  t.deepEqual(
    presences.map(({ cid, have }) => [cid.toString(), have]),
    [
      [large.cid.toString(), true],
      [huge.cid.toString(), false]
    ]
  )
  await taker.outbox.stop()
})

test('a peer of the first version gets plain blocks, and no answers that it does not know', async t => {
  const taker = new Taker()
  taker.protocol = '/ipfs/bitswap/1.0.0'
  const [here, missing, asked] = samples(3)
  await taker.store.putBytes(here!.multihash, here!.bytes)
  taker.wants.add(wanting(here!.cid))
  taker.wants.add(wanting(missing!.cid))
  taker.outbox.ask(asked!.cid, 'have')
  taker.outbox.wake()
  await until('it is answered', () => taker.messages.length === 1)
  const [{ blocks, presences, wants }] = taker.messages as [Received]
  t.is(blocks[0]!.prefix, undefined)
  t.deepEqual(Buffer.from(blocks[0]!.data), Buffer.from(here!.bytes))
  t.deepEqual([presences.length, [...wants()].length], [0, 0])
  await taker.outbox.stop()
})

test('large blocks are parts of a message as they are, and small ones are copied into it', t => {
  const [small, large] = [sample(1, 3000), sample(2, 100_000)]
  const out = { wants: [], presences: [{ cid: small.cid, have: true }], blocks: [large, small, large] }
  for (const isPlain of [false, true]) {
    const parts = encodeParts(out, isPlain)
    t.is(parts.filter(part => part === large.bytes).length, 2)
    t.is(parts.length, 5)
  }
})

test('messages are read whatever pieces they come in, and what is none is refused', async t => {
  const { cid, bytes } = sample(1, 3000)
  const out = { wants: [wanting(cid, 'have')], presences: [{ cid, have: false }], blocks: [{ cid, bytes }] }
  const wire = new Uint8Array(Buffer.concat([encodeMessage(out), encodeMessage({ ...out, blocks: [] })]))
  const cut = async function* (size: number) {
    for (let at = 0; at < wire.length; at += size) yield wire.subarray(at, at + size)
  }
  for (const size of [1, 2, 7, 1000, wire.length]) {
    const read: Received[] = []
    for await (const frame of frames(cut(size), FREE, () => {})) read.push(decodeMessage(frame))
    t.is(read.length, 2)
    t.deepEqual([...read[0]!.wants()], out.wants)
    t.deepEqual(read[0]!.presences, out.presences)
    t.deepEqual(Buffer.from(read[0]!.blocks[0]!.data), Buffer.from(bytes))
    t.deepEqual(read[0]!.blocks[0]!.prefix, { version: 1, codec: 0x55, hash: 0x12, size: 32 })
  }
  const whole = async (bytes: Uint8Array) => {
    const source = (async function* () {
      yield bytes
    })()
    for await (const frame of frames(source, FREE, () => {})) for (const _ of decodeMessage(frame).wants());
  }
  for (const bad of [
    [0xff, 0xff, 0xff, 0x7f],
    [0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    [0x05, 0x0a],
    [0x02, 0x0a, 0x7f],
    [0x04, 0x0a, 0x02, 0x0a, 0x00],
    [0x02, 0x1a, 0x00],
    [0x01, 0x0b]
  ]) {
    await t.throwsAsync(whole(Uint8Array.from(bad)), { code: 'E_BITSWAP_MESSAGE' }, String(bad))
  }
  await t.throwsAsync(whole(Uint8Array.from([0x81, 0x80, 0x80, 0x02])), { message: new RegExp(`more than ${MOST_BYTES} bytes`) })
})

test('a message of many small parts is refused before it is read to its end', t => {
  const times = (count: number, ...part: number[]) => Buffer.concat(Array.from({ length: count }, () => Buffer.from(part)))
  const answer = [0x22, 0x06, 0x0a, 0x04, 0x01, 0x55, 0x00, 0x00]
  t.is(decodeMessage(times(MOST_PARTS, ...answer)).presences.length, MOST_PARTS)
  const inside = (head: number, bytes: Buffer) => Buffer.from([head, 0x80 | (bytes.length % 128), bytes.length >> 7, ...bytes])
  for (const [what, message] of [
    ['answers', times(MOST_PARTS + 1, ...answer)],
    ['blocks', times(MOST_PARTS + 1, 0x12, 0x00)],
    ['want lists', times(MOST_PARTS + 1, 0x0a, 0x00)],
    ['what is not known', times(MOST_PARTS + 1, 0x28, 0x00)],
    ['what is not known in a want list', inside(0x0a, times(100, 0x10, 0x01))],
    ['what is not known in an answer', inside(0x22, times(100, 0x10, 0x01))]
  ] as const) {
    t.throws(
      () => decodeMessage(message),
      { code: 'E_BITSWAP_MESSAGE', message: /^not a message of bitswap: it.* more than \d+ fields/ },
      what
    )
  }
})

test('wants beyond those that are remembered are forgotten, the oldest first', t => {
  const wants = new PeerWants(NO_INDEX, 3)
  const all = samples(5)
  for (const { cid } of all) wants.add(wanting(cid))
  for (let want = wants.take(); want !== undefined; want = wants.take()) wants.missing(want)
  t.deepEqual(
    wants.cids().map(String),
    all.slice(2).map(({ cid }) => cid.toString())
  )
  t.is(wants.forgotten, 2)
  t.true(wants.stored(keyOf(all[4]!.cid)))
  t.is(wants.take()?.cid.toString(), all[4]!.cid.toString())
  t.false(wants.stored(keyOf(all[0]!.cid)))
})
