/** The node's Noise and the library's own, each at either end, over sockets of this machine. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { noise } from '@chainsafe/libp2p-noise'
import { generateKeyPair } from '@libp2p/crypto/keys'
import type { ConnectionEncrypter, MessageStream, StreamMessageEvent } from '@libp2p/interface'
import { defaultLogger } from '@libp2p/logger'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { AbstractMessageStream } from '@libp2p/utils'
import test, { type ExecutionContext } from 'ava'
import { takenMemory } from '../../../core/memory.ts'
import { agreement, type Cipher, TAG, withKeptKeys } from '../../../plugins/network/noise/cipher.ts'
import { noiseEncrypter } from '../../../plugins/network/noise/encrypter.ts'
import { until } from '../../helpers/until.ts'

/** A socket as libp2p's TCP transport has it. */
class Connection extends AbstractMessageStream {
  readonly socket: Socket

  constructor(socket: Socket, direction: 'inbound' | 'outbound') {
    super({ log: defaultLogger().forComponent('test'), direction })
    this.socket = socket
    socket.on('data', bytes => this.onData(bytes))
    socket.on('drain', () => this.safeDispatchEvent('drain'))
    socket.on('error', () => {})
    socket.on('close', () => this.onTransportClosed())
  }

  sendData(data: Parameters<AbstractMessageStream['sendData']>[0]) {
    let canSendMore = true
    for (const part of data) canSendMore = this.socket.write(part)
    return { sentBytes: data.byteLength, canSendMore }
  }

  sendReset = () => void this.socket.destroy()
  sendPause = () => void this.socket.pause()
  sendResume = () => void this.socket.resume()
  close = async () => void this.socket.end()
}

async function connections(t: ExecutionContext): Promise<{ near: Connection; far: Connection }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const near = connect((server.address() as { port: number }).port, '127.0.0.1')
  const [far] = (await accepted) as [Socket]
  t.teardown(() => {
    near.destroy()
    far.destroy()
    server.close()
  })
  return { near: new Connection(near, 'outbound'), far: new Connection(far, 'inbound') }
}

type Make = (components: never) => ConnectionEncrypter

async function encrypter(make: Make): Promise<ConnectionEncrypter> {
  const privateKey = await generateKeyPair('Ed25519')
  const components = {
    privateKey,
    peerId: peerIdFromPrivateKey(privateKey),
    logger: defaultLogger(),
    upgrader: { getStreamMuxers: () => new Map() }
  }
  return make(components as never)
}

const ours: Make = await noiseEncrypter()
const ends = { ours, library: noise() as Make }

async function secured(t: ExecutionContext, dialler: Make, listener: Make) {
  const { near, far } = await connections(t)
  const [out, into] = await Promise.all([encrypter(dialler), encrypter(listener)])
  const options = { skipStreamMuxerNegotiation: true }
  const [outbound, inbound] = await Promise.all([out.secureOutbound(near, options), into.secureInbound(far, options)])
  return { near, far, outbound: outbound.connection, inbound: inbound.connection }
}

/** All octets that come, from now on. */
function received(stream: MessageStream): { readonly bytes: () => Buffer } {
  const parts: Uint8Array[] = []
  stream.addEventListener('message', ({ data }: StreamMessageEvent) => void parts.push(data.subarray().slice()))
  return { bytes: () => Buffer.concat(parts) }
}

/** Around what is short, what one message holds, and what a socket takes at a time. */
const SIZES = [1, 255, 256, 257, 1199, 1200, 65_518, 65_519, 65_520, 65_535, 65_536, 131_038, 1_000_003]

for (const dialler of ['ours', 'library'] as const)
  for (const listener of ['ours', 'library'] as const)
    test(`messages of all sizes go both ways between ${dialler} and ${listener}`, async t => {
      const { outbound, inbound } = await secured(t, ends[dialler], ends[listener])
      for (const [from, to] of [
        [outbound, inbound],
        [inbound, outbound]
      ] as const) {
        const got = received(to)
        const sent = SIZES.map((size, i) => Buffer.from(Uint8Array.from({ length: size }, (_, at) => at * 7 + i)))
        for (const message of sent) from.send(message)
        const all = Buffer.concat(sent)
        await until('all came', () => got.bytes().length >= all.length)
        t.true(got.bytes().equals(all))
      }
    })

for (const [what, back] of [
  ['of which a bit is another', TAG + 4],
  ['whose proof is another', 1]
] as const)
  test(`a message ${what} ends the connection`, async t => {
    const { near, outbound, inbound } = await secured(t, ours, ours)
    const got = received(inbound)
    const { socket } = near
    const write = socket.write.bind(socket)
    // the proof is a part of its own
    socket.write = ((part: Uint8Array) => {
      const changed = Buffer.from(part)
      const at = changed.length - back
      if (changed.length >= TAG && at >= 0) changed[at] = changed[at]! ^ 1
      return write(changed)
    }) as Socket['write']
    outbound.send(Buffer.alloc(4096, 1))
    await until('it is over', () => inbound.status !== 'open')
    t.is(inbound.status, 'aborted')
    t.is(got.bytes().length, 0)
  })

test('a node signs its key once, however many connections it secures', async t => {
  const privateKey = await generateKeyPair('Ed25519')
  let signatures = 0
  const counting = Object.assign(Object.create(privateKey), {
    sign(...message: Parameters<typeof privateKey.sign>) {
      signatures++
      return privateKey.sign(...message)
    }
  })
  const components = { privateKey: counting, logger: defaultLogger(), upgrader: { getStreamMuxers: () => new Map() } }
  const [node, peer] = [ours(components as never), await encrypter(ends.library)]
  const options = { skipStreamMuxerNegotiation: true }
  for (let i = 0; i < 3; i++) {
    const { near, far } = await connections(t)
    const [, { remotePeer }] = await Promise.all([node.secureOutbound(near, options), peer.secureInbound(far, options)])
    t.true(remotePeer.equals(peerIdFromPrivateKey(privateKey)))
  }
  t.is(signatures, 1)
})

test('no key is agreed on with one that makes nothing secret', t => {
  t.throws(() => agreement.dh(agreement.generateKeypair(), new Uint8Array(32)))
})

test.serial('lengths and messages that come octet by octet are read, and no error is made of those that are still to come', async t => {
  const { near, far, outbound, inbound } = await secured(t, ours, ours)
  const got = received(inbound)
  near.socket.write = (part: Uint8Array) => {
    for (const octet of part) far.onData(Uint8Array.of(octet))
    return true
  }
  const library = globalThis.RangeError
  let errors = 0
  const counting = new Proxy(library, {
    apply(made, of, args) {
      errors++
      return Reflect.apply(made, of, args)
    }
  })
  globalThis.RangeError = counting
  t.teardown(() => {
    globalThis.RangeError = library
  })
  const sent = [1, 255, 700].map(size => Buffer.alloc(size, size))
  for (const message of sent) outbound.send(message)
  await until('all came', () => got.bytes().length >= 956)
  t.true(got.bytes().equals(Buffer.concat(sent)))
  t.is(errors, 0)
})

test('a message that is too short to prove itself ends the connection', async t => {
  const { near, inbound } = await secured(t, ours, ours)
  near.socket.write(Buffer.from([0, 3, 1, 2, 3]))
  await until('it is over', () => inbound.status !== 'open')
  t.is(inbound.status, 'aborted')
})

/** Counts the calls to the system by which a socket writes. */
function writesOf({ socket }: Connection): { readonly calls: number } {
  const handle = (socket as unknown as { _handle: Record<string, (...args: unknown[]) => unknown> })._handle
  const counted = { calls: 0 }
  for (const name of ['writeBuffer', 'writev'] as const) {
    const library = handle[name]!.bind(handle)
    handle[name] = (...args) => {
      counted.calls++
      return library(...args)
    }
  }
  return counted
}

test('all parts of what is sent go to the system in one call', async t => {
  const { near, outbound, inbound } = await secured(t, ours, ours)
  const got = received(inbound)
  const counted = writesOf(near)
  outbound.send(Buffer.alloc(200_000, 1))
  await until('all came', () => got.bytes().length === 200_000)
  t.is(counted.calls, 1)
})

test('short messages of one turn of the event loop go to the system in one call, and the last is not lost where the connection closes', async t => {
  const { near, outbound, inbound } = await secured(t, ours, ours)
  const got = received(inbound)
  const counted = writesOf(near)
  for (let i = 0; i < 10; i++) outbound.send(Buffer.alloc(100, i))
  await until('all came', () => got.bytes().length === 1000)
  t.is(counted.calls, 1)
  for (let i = 0; i < 3; i++) {
    outbound.send(Buffer.alloc(100, i))
    await new Promise(resolve => setImmediate(resolve))
  }
  await until('all came', () => got.bytes().length === 1300)
  t.is(counted.calls, 4)
  outbound.send(Buffer.alloc(100, 1))
  await near.close()
  await until('all came', () => got.bytes().length === 1400)
  t.pass()
})

test('a connection that closes sends all that was written before', async t => {
  const { near, outbound, inbound } = await secured(t, ours, ours)
  const got = received(inbound)
  for (let i = 0; i < 80; i++) outbound.send(Buffer.alloc(65_000, i))
  t.true(outbound.writeBufferLength > 0, 'more than the socket takes')
  await near.close()
  await until('it is over for the other side', () => inbound.status !== 'open')
  t.is(got.bytes().length, 80 * 65_000)
})

test('short messages are left to the library, and a key of others is made once', t => {
  const asked: string[] = []
  const library: Cipher = {
    encrypt(plain) {
      asked.push('encrypt')
      return plain
    },
    decrypt(sealed) {
      asked.push('decrypt')
      return sealed
    }
  }
  const cipher = withKeptKeys(library)
  const [key, nonce, none] = [new Uint8Array(32), new Uint8Array(12), new Uint8Array()]
  cipher.encrypt(new Uint8Array(255), nonce, none, key)
  cipher.decrypt(new Uint8Array(255), nonce, none, key)
  t.deepEqual(asked, ['encrypt', 'decrypt'])
  const about = Uint8Array.of(1, 2, 3)
  const sealed = cipher.encrypt(new Uint8Array(300).fill(5), nonce, about, key).slice()
  t.is(sealed.length, 300 + TAG)
  t.deepEqual(cipher.decrypt(sealed, nonce, about, key).slice(), new Uint8Array(300).fill(5))
  t.throws(() => cipher.decrypt(sealed, nonce, none, key))
  t.is(asked.length, 2)
})

test('whoever owns the process hears of the memory that long messages take, and of no other', t => {
  const library: Cipher = { encrypt: plain => plain, decrypt: sealed => sealed }
  const cipher = withKeptKeys(library)
  const [key, nonce, none] = [new Uint8Array(32), new Uint8Array(12), new Uint8Array()]
  const told: unknown[] = []
  const listen = (bytes: unknown) => void told.push(bytes)
  takenMemory.subscribe(listen)
  t.teardown(() => takenMemory.unsubscribe(listen))
  const sealed = cipher.encrypt(new Uint8Array(1000), nonce, none, key).slice()
  cipher.decrypt(sealed, nonce, none, key)
  cipher.decrypt(cipher.encrypt(new Uint8Array(10), nonce, none, key), nonce, none, key)
  t.deepEqual(told, [2000, 2 * (1000 + TAG)])
})
