import { randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { Blocks, type Blockstore, Exchange, type Logger, type Network, type PeerStream } from '../../../core/index.ts'
import { BitswapExchange } from '../../../plugins/bitswap/exchange.ts'
import { bitswapSettings } from '../../../plugins/bitswap/settings.ts'
import { decodeMessage } from '../../../plugins/bitswap/wire/decode.ts'
import { encodeMessage } from '../../../plugins/bitswap/wire/encode.ts'
import { frames } from '../../../plugins/bitswap/wire/frames.ts'
import { PROTOCOLS, type WantEntry } from '../../../plugins/bitswap/wire/message.ts'
import { varint } from '../../core/cid/encoded-varint.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { turnsOf } from '../../helpers/turns.ts'
import { until } from '../../helpers/until.ts'
import { sample } from '../storage/samples.ts'
import { added, bytesOf, connected, nodes, statOf } from './nodes.ts'

/** Most memory that an attack may take, of both sides, in bytes. */
const MOST = 200 * 1024 * 1024

/** Holds that no more memory is taken than that since it was called. */
function holdsLittle(t: ExecutionContext): () => void {
  const before = process.memoryUsage().rss
  return () => void t.true(process.memoryUsage().rss - before < MOST, `${Math.round((process.memoryUsage().rss - before) / 2 ** 20)} MiB`)
}

const NOTHING = { wants: [], presences: [], blocks: [] }

/** A peer that speaks bitswap as the test does. `onMessage` gets the octets of what it is sent. */
async function stranger(
  t: ExecutionContext,
  victim: OnlineNode,
  serve: (stream: PeerStream) => Promise<void> = drained
): Promise<OnlineNode> {
  const node = await onlineNode(t, { on: { bitswap: 'off' } })
  await node.network.handle(PROTOCOLS[0], serve)
  await node.network.dial(victim.network.self, victim.network.announced())
  await until('the victim knows it', () => statOf(victim).peers.includes(node.network.self))
  return node
}

async function drained(stream: PeerStream): Promise<void> {
  for await (const _ of stream);
}

/** Lines of the log about a peer that was dropped. */
function dropsOf(node: OnlineNode): { readonly lines: string[] } {
  const lines: string[] = []
  node.host.logs.setLevel('bitswap', 'warn')
  const controller = new AbortController()
  void (async () => {
    for await (const line of node.host.logs.tail(controller.signal)) if (line.includes('dropped the peer')) lines.push(line)
  })()
  node.host.beforeStop(async () => controller.abort())
  return { lines }
}

async function isDropped(victim: OnlineNode, { network }: OnlineNode): Promise<void> {
  await until('the peer is dropped', () => victim.network.connections(network.self).length === 0)
}

/** Writes until the other side tears the stream. */
async function flood(stream: PeerStream, messages: Iterable<Uint8Array>): Promise<void> {
  try {
    for (const message of messages) await stream.write(message)
  } catch {
    // it was torn, as it should be
  }
}

const want = (number: number, kind: WantEntry['kind'] = 'block'): WantEntry => ({
  cid: sample(number).cid,
  priority: 1,
  cancel: false,
  kind,
  sendDontHave: false
})

test.serial(
  'a peer that wants more blocks than are remembered, without end, is dropped with the reason, and one that wants 1,000 is served',
  async t => {
    const [victim, honest] = await nodes(t, 2, { maxWants: 256, maxForgotten: 5_000 })
    const drops = dropsOf(victim)
    const held = holdsLittle(t)
    const liar = await stranger(t, victim)
    const stream = await liar.network.open(victim.network.self, PROTOCOLS[0])
    function* messages() {
      for (let at = 0; at < 1_000_000; at += 500) {
        yield encodeMessage({ ...NOTHING, wants: Array.from({ length: 500 }, (_, i) => want(at + i)) })
      }
    }
    const flooding = flood(stream, messages())
    const many = Array.from({ length: 1000 }, (_, i) => sample(2_000_000 + i))
    await victim.host.service(Blocks)!.putAll(many)
    const exchange = honest.host.service(Exchange)!
    const got = await Promise.all(many.map(({ cid }) => exchange.get(cid)))
    t.true(got.every((bytes, i) => Buffer.from(bytes).equals(many[i]!.bytes)))
    await isDropped(victim, liar)
    await flooding
    await until('the reason is told', () => drops.lines.length > 0)
    t.is(drops.lines.length, 1)
    held()
    const [, more] = /wants (\d+) blocks more than are remembered/.exec(drops.lines[0]!) ?? []
    // looked at with each want: those that wait for an answer (maxQueued) may be forgotten between two
    t.true(Number(more) > 5_000 && Number(more) <= 5_000 + 1024 + 1, drops.lines[0])
  }
)

test.serial('a peer that sends blocks that nobody asked for is dropped, and none of them is stored', async t => {
  const [victim] = await nodes(t, 1)
  const drops = dropsOf(victim)
  const held = holdsLittle(t)
  const liar = await stranger(t, victim)
  const stream = await liar.network.open(victim.network.self, PROTOCOLS[0])
  const blocks = Array.from({ length: 200 }, (_, i) => sample(i, 1000))
  await flood(
    stream,
    blocks.map(block => encodeMessage({ ...NOTHING, blocks: [block] }))
  )
  await isDropped(victim, liar)
  await until('the reason is told', () => drops.lines.length > 0)
  t.regex(drops.lines[0]!, /sent 65 blocks that nobody asked for/)
  held()
  for (const { cid } of blocks) t.false(await victim.host.service(Blocks)!.has(cid))
  await liar.network.dial(victim.network.self, victim.network.announced()).catch(() => {})
  await until('it is kept away', () => liar.network.connections(victim.network.self).length === 0)
  t.deepEqual(statOf(victim).peers, [])
})

test.serial('a peer that says that it has everything and sends other bytes does not keep a block from coming from another', async t => {
  const [victim, honest] = await nodes(t, 2, { answerTimeout: 500 })
  const content = randomBytes(2_000_000)
  const hash = await added(honest, content)
  const liars = new Map<number, OnlineNode>()
  /** Answers each message by other bytes than those that are wanted. */
  const lying = (number: number) => async (stream: PeerStream) => {
    let out: PeerStream | undefined
    for await (const _ of stream) {
      out ??= await liars.get(number)?.network.open(victim.network.self, PROTOCOLS[0])
      await out?.write(encodeMessage({ ...NOTHING, blocks: [sample(number, 5000)] }))
    }
  }
  for (const number of [1, 2]) liars.set(number, await stranger(t, victim, lying(number)))
  t.true(content.equals(await bytesOf(victim, 'cat', hash)))
})

test.serial('a peer that says that it has blocks and does not send them leaves them to others', async t => {
  const [victim, honest] = await nodes(t, 2, { answerTimeout: 300 })
  const content = randomBytes(1_000_000)
  const hash = await added(honest, content)
  const promised = Promise.withResolvers<void>()
  let out: Promise<PeerStream> | undefined
  let isAsked = false
  const promising = await stranger(t, victim, async stream => {
    const free = { take() {}, give() {} }
    for await (const frame of frames(stream, free, () => {})) {
      for (const { cid, kind, cancel } of decodeMessage(frame).wants()) {
        if (cancel) continue
        if (kind === 'block') isAsked = true
        out ??= promising.network.open(victim.network.self, PROTOCOLS[0])
        await (await out).write(encodeMessage({ ...NOTHING, presences: [{ cid, have: true }] }))
        promised.resolve()
      }
    }
  })
  for (const connection of victim.network.connections(honest.network.self)) await connection.close()
  const reading = bytesOf(victim, 'cat', hash)
  await promised.promise
  await connected(victim, honest)
  t.true(content.equals(await reading))
  t.true(isAsked)
})

test.serial('a peer that begins a message and sends no more, or what is none, is dropped', async t => {
  const [victim] = await nodes(t, 1, { messageTimeout: 300 })
  const drops = dropsOf(victim)
  const held = holdsLittle(t)
  const half = await stranger(t, victim)
  const whole = encodeMessage({ ...NOTHING, blocks: [sample(1, 100_000)] })
  const stream = await half.network.open(victim.network.self, PROTOCOLS[0])
  await stream.write(whole.subarray(0, 50_000))
  await isDropped(victim, half)
  await until('the reason is told', () => drops.lines.some(line => line.includes('nothing more of it came')))
  const garbage = await stranger(t, victim)
  await flood(await garbage.network.open(victim.network.self, PROTOCOLS[0]), [Uint8Array.from([3, ...Buffer.from('not')])])
  await isDropped(victim, garbage)
  await until('the reason is told', () => drops.lines.some(line => /: not a message of bitswap: a field /.test(line)))
  held()
  t.is(drops.lines.length, 2)
})

test.serial('a peer that does not read what it wants is dropped, and others are served meanwhile', async t => {
  const [victim, honest] = await nodes(t, 2, { messageTimeout: 8_000, slowestReader: 1_000_000, maxSending: 4 * 1024 * 1024 })
  const drops = dropsOf(victim)
  const held = holdsLittle(t)
  const over = Promise.withResolvers<void>()
  t.teardown(() => over.resolve())
  const slow = await stranger(t, victim, () => over.promise)
  const blocks = Array.from({ length: 40 }, (_, i) => sample(i, 250_000))
  await victim.host.service(Blocks)!.putAll(blocks)
  const stream = await slow.network.open(victim.network.self, PROTOCOLS[0])
  const wants = blocks.map(({ cid }) => ({ ...want(0), cid }))
  await stream.write(encodeMessage({ ...NOTHING, wants }))
  for (const { cid, bytes } of blocks.slice(0, 5)) {
    t.deepEqual(Buffer.from(await honest.host.service(Exchange)!.get(cid)), Buffer.from(bytes))
  }
  await isDropped(victim, slow)
  await until('the reason is told', () => drops.lines.some(line => line.includes('was not read within')))
  held()
  t.pass()
})

test.serial('messages that are not whole hold no more than their share', async t => {
  const [victim, honest] = await nodes(t, 2, { maxPartial: 16 * 1024 * 1024 })
  const drops = dropsOf(victim)
  const greedy = await stranger(t, victim)
  const whole = encodeMessage({ ...NOTHING, blocks: [sample(1, 3_000_000)] })
  const streams = await Promise.all([1, 2].map(() => greedy.network.open(victim.network.self, PROTOCOLS[0])))
  await Promise.all(streams.map(stream => flood(stream, [whole.subarray(0, 2_900_000)])))
  await isDropped(victim, greedy)
  await until('the reason is told', () => drops.lines.some(line => line.includes('plugins.bitswap.maxPartial')))
  await connected(victim, honest)
  const content = randomBytes(600_000)
  t.true(content.equals(await bytesOf(victim, 'cat', await added(honest, content))))
})

test.serial(
  'messages that few peers begin and go on with octet by octet keep no room from others, and those peers are dropped',
  async t => {
    const [victim, honest] = await nodes(t, 2, { maxPartial: 16 * 1024 * 1024 })
    const drops = dropsOf(victim)
    const whole = encodeMessage({ ...NOTHING, blocks: [sample(1, 3_900_000)] })
    const slow = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const peer = await stranger(t, victim)
        const stream = await peer.network.open(victim.network.self, PROTOCOLS[0])
        await stream.write(whole.subarray(0, 3_800_000))
        return { peer, stream }
      })
    )
    // each holds its message by now
    for (const { stream } of slow) for (let at = 3_800_000; at < 3_800_020; at++) await stream.write(whole.subarray(at, at + 1))
    const content = randomBytes(4_000_000)
    const hash = await added(honest, content, { chunker: 'size-1000000' })
    t.true(content.equals(await bytesOf(victim, 'cat', hash)))
    t.is(victim.network.connections(honest.network.self).length, 1)
    t.true(drops.lines.length > 0)
    t.true(
      drops.lines.every(line => slow.some(({ peer }) => line.includes(peer.network.self)) && line.includes('plugins.bitswap.maxPartial'))
    )
  }
)

/** An exchange without a network. @returns what serves a stream of a peer of it, and what was told of peers that were dropped */
async function served(t: ExecutionContext) {
  let serve: ((stream: PeerStream) => Promise<void>) | undefined
  const told: string[] = []
  const network = {
    self: 'self',
    handle: async (_: string, handler: typeof serve) => {
      serve = handler
      return async () => {}
    },
    onIdentify: () => () => {},
    onDisconnect: () => () => {},
    connections: () => [{ limited: false, direction: 'inbound', abort() {} }]
  }
  const log = { debug() {}, warn: (line: string) => void told.push(line), error() {}, info() {} }
  const exchange = new BitswapExchange({
    network: network as unknown as Network,
    store: {} as Blockstore,
    routing: undefined,
    settings: bitswapSettings.parse({}),
    log: log as unknown as Logger
  })
  await exchange.start()
  t.teardown(() => exchange.stop())
  const send = async (...parts: readonly Uint8Array[]) => {
    const stream = {
      peer: 'peer',
      abort() {},
      async *[Symbol.asyncIterator]() {
        yield* parts
      }
    }
    await serve!(stream as unknown as PeerStream)
  }
  return { exchange, send, told }
}

test('a peer that sends thousands of short messages at once leaves others their turn', async t => {
  const { exchange, send } = await served(t)
  const message = encodeMessage({ ...NOTHING, presences: [{ cid: sample(1).cid, have: false }] })
  const turns = await turnsOf(() => send(Buffer.concat(Array.from({ length: 100_000 }, () => message))))
  t.is(exchange.stat().messagesReceived, 100_000)
  t.true(turns > 2, `${turns} turns`)
})

test('a peer that sends empty messages without end is dropped with the reason, and one that sends some between others is not', async t => {
  for (const empty of [Buffer.from([0]), Buffer.from([2, 0x0a, 0]), Buffer.from([4, 0x0a, 2, 0x10, 1]), Buffer.from([2, 0x28, 1])]) {
    const { exchange, send, told } = await served(t)
    const some = Buffer.concat(Array.from({ length: 500 }, () => empty))
    const content = encodeMessage({ ...NOTHING, wants: [{ ...want(1), cancel: true }] })
    await send(...Array.from({ length: 20 }, () => Buffer.concat([some, content])))
    t.is(exchange.stat().messagesReceived, 20 * 501)
    t.deepEqual(told, [])
    // a stream of its own for each few of them makes no difference
    for (let i = 0; i < 2; i++) await send(some)
    await t.throwsAsync(send(Buffer.alloc(0), ...Array.from({ length: 1_000 }, () => some)), { code: 'E_BITSWAP_EMPTY' })
    t.true(exchange.stat().messagesReceived < 20 * 501 + 2_000, `${exchange.stat().messagesReceived}`)
    t.deepEqual(told, ['dropped the peer peer: it sent 1025 messages in a row with nothing in them'])
  }
})

test('a message of thousands of want lists is refused', async t => {
  const { send, told } = await served(t)
  const lists = Buffer.concat(Array.from({ length: 16_000 }, () => Buffer.from([0x0a, 0])))
  await t.throwsAsync(send(Buffer.concat([varint(lists.length), lists])), {
    code: 'E_BITSWAP_MESSAGE',
    message: /more than 64 fields with want lists/
  })
  t.is(told.length, 1)
})
