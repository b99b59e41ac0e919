/** The node's TLS and the library's own, each at either end, over connections of libp2p's TCP transport; and peers that are neither. */
import { randomBytes } from 'node:crypto'
import { getEventListeners, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, TLSSocket } from 'node:tls'
import { generateKeyPair } from '@libp2p/crypto/keys'
import type {
  ConnectionEncrypter,
  MessageStream,
  MultiaddrConnection,
  PrivateKey,
  SecuredConnection,
  StreamMessageEvent
} from '@libp2p/interface'
import { defaultLogger } from '@libp2p/logger'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { tcp } from '@libp2p/tcp'
import { tls } from '@libp2p/tls'
import { multiaddrConnectionPair } from '@libp2p/utils'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { takenMemory } from '../../../../core/memory.ts'
import { tlsEncrypter } from '../../../../plugins/network/tls/encrypter.ts'
import { until } from '../../../helpers/until.ts'
import { certificateOf, strangersKey } from './certificates.ts'

/** A connection of libp2p's TCP transport. */
type Over = MultiaddrConnection & { readonly socket: Socket; onData(bytes: Uint8Array): void }

/** libp2p's TCP transport, over whose connections nothing was said yet. */
async function transport(t: ExecutionContext) {
  const made = tcp()({ logger: defaultLogger() } as never)
  const waiting: Over[] = []
  const kept = <C extends Over>(connection: C): C => {
    t.teardown(() => void connection.socket.destroy())
    return connection
  }
  const listener = made.createListener({ upgrader: { upgradeInbound: async (one: Over) => void waiting.push(kept(one)) } } as never)
  await listener.listen(multiaddr('/ip4/127.0.0.1/tcp/0'))
  t.teardown(() => listener.close())
  const [address] = listener.getAddrs()
  return {
    port: Number(/\d+$/.exec(`${address}`)![0]),
    accepted: () => until('one is accepted', () => waiting.shift()),
    async dialled(port?: number): Promise<Over> {
      const upgrader = { upgradeOutbound: async (connection: Over) => kept(connection) }
      const to = port === undefined ? address! : multiaddr(`/ip4/127.0.0.1/tcp/${port}`)
      return (await made.dial(to, { upgrader, signal: new AbortController().signal } as never)) as unknown as Over
    }
  }
}

async function connections(t: ExecutionContext): Promise<{ readonly near: Over; readonly far: Over }> {
  const { dialled, accepted } = await transport(t)
  return { near: await dialled(), far: await accepted() }
}

type Make = (components: never) => ConnectionEncrypter

const ends = { ours: tlsEncrypter as Make, library: tls() as Make }

const keyPair = (): Promise<PrivateKey> => generateKeyPair('Ed25519')

/** @param muxers - by their names */
function encrypter(make: Make, privateKey: PrivateKey, muxers: readonly string[] = []): ConnectionEncrypter {
  const known = new Map(muxers.map(protocol => [protocol, { protocol }]))
  return make({ privateKey, logger: defaultLogger(), upgrader: { getStreamMuxers: () => known } } as never)
}

interface Pair {
  readonly near: Over
  readonly far: Over
  readonly outbound: MessageStream
  readonly inbound: MessageStream
}

async function secured(t: ExecutionContext, dialler: Make = ends.ours, listener: Make = ends.ours): Promise<Pair> {
  const [{ near, far }, ...keys] = await Promise.all([connections(t), keyPair(), keyPair()])
  const [outbound, inbound] = await Promise.all([
    encrypter(dialler, keys[0]).secureOutbound(near),
    encrypter(listener, keys[1]).secureInbound(far)
  ])
  t.is(`${outbound.remotePeer}`, `${peerIdFromPrivateKey(keys[1])}`)
  t.is(`${inbound.remotePeer}`, `${peerIdFromPrivateKey(keys[0])}`)
  return { near, far, outbound: outbound.connection, inbound: inbound.connection }
}

/** All octets that come, from now on. */
function received(stream: MessageStream): { readonly bytes: () => Buffer; readonly length: () => number } {
  const parts: Uint8Array[] = []
  let length = 0
  stream.addEventListener('message', ({ data }: StreamMessageEvent) => {
    length += data.byteLength
    parts.push(data.subarray().slice())
  })
  return { bytes: () => Buffer.concat(parts), length: () => length }
}

async function allCame(t: ExecutionContext, from: MessageStream, to: MessageStream): Promise<void> {
  const got = received(to)
  const sent = SIZES.map((size, i) => Buffer.from(Uint8Array.from({ length: size }, (_, at) => at * 7 + i)))
  for (const message of sent) from.send(message)
  const all = Buffer.concat(sent)
  await until('all came', () => got.length() >= all.length)
  t.true(got.bytes().equals(all))
}

/** Around what a record of TLS holds, and what a socket takes at a time. */
const SIZES = [1, 255, 16_383, 16_384, 16_385, 65_535, 65_536, 131_038, 1_000_003]

for (const dialler of ['ours', 'library'] as const)
  for (const listener of ['ours', 'library'] as const)
    test(`messages of all sizes go both ways between ${dialler} and ${listener}`, async t => {
      const { outbound, inbound } = await secured(t, ends[dialler], ends[listener])
      await allCame(t, outbound, inbound)
      await allCame(t, inbound, outbound)
    })

test('over a connection of the TCP transport its socket is encrypted, and nothing passes through the connection', async t => {
  const { near, far } = await connections(t)
  const seen: Uint8Array[] = []
  for (const connection of [near, far]) connection.onData = bytes => void seen.push(bytes)
  const [outbound, inbound] = await Promise.all([
    encrypter(ends.ours, await keyPair()).secureOutbound(near),
    encrypter(ends.ours, await keyPair()).secureInbound(far)
  ])
  await allCame(t, outbound.connection, inbound.connection)
  await allCame(t, inbound.connection, outbound.connection)
  t.deepEqual(seen, [])
  t.is(near.writeBufferLength, 0)
})

test('over a connection that has no socket of its own messages go both ways, and its end is that of the other side', async t => {
  const [near, far] = multiaddrConnectionPair()
  const [outbound, inbound] = await Promise.all([
    encrypter(ends.ours, await keyPair()).secureOutbound(near),
    encrypter(ends.ours, await keyPair()).secureInbound(far)
  ])
  await allCame(t, outbound.connection, inbound.connection)
  await allCame(t, inbound.connection, outbound.connection)
  near.abort(new Error('enough'))
  await until('both are over', () => inbound.connection.status !== 'open' && outbound.connection.status !== 'open')
  t.deepEqual([near.status, far.status === 'open'], ['aborted', false])
})

test('what the connection has read before it is secured is the first that is decrypted, wherever it waits', async t => {
  for (const place of ['the connection', 'the socket', 'both'] as const) {
    const { near, far } = await connections(t)
    const options = { signal: AbortSignal.timeout(20_000) }
    if (place === 'the socket') far.pause()
    const outbound = encrypter(ends.ours, await keyPair()).secureOutbound(near, options)
    if (place === 'the socket') await until('it waits there', () => far.socket.readableLength > 0)
    else await until('it was read', () => far.readBufferLength > 0)
    if (place === 'both') {
      // as who agrees on the protocol gives back what came behind it
      const all = (far as unknown as { readonly readBuffer: { slice(): Uint8Array; consume(length: number): void } }).readBuffer
      const bytes = all.slice()
      all.consume(bytes.length)
      far.socket.pause()
      far.unshift(bytes.subarray(0, 100))
      far.socket.unshift(bytes.subarray(100))
    }
    const inbound = await encrypter(ends.ours, await keyPair()).secureInbound(far, options)
    await allCame(t, (await outbound).connection, inbound.connection)
  }
})

for (const [what, ours, theirs, agreed] of [
  ['the first that both have', ['/a', '/b'], ['/b', '/a'], true],
  ['one that is all they share', ['/a', '/b'], ['/c', '/b'], '/b'],
  ['none where they share none', ['/a'], ['/b'], undefined],
  ['none where one has none', ['/a'], [], undefined]
] as const)
  for (const [dialler, listener] of [
    ['ours', 'library'],
    ['library', 'ours'],
    ['ours', 'ours']
  ] as const)
    test(`the handshake agrees on a muxer: ${what} (${dialler} dials ${listener})`, async t => {
      const { near, far } = await connections(t)
      const [outbound, inbound] = await Promise.all([
        encrypter(ends[dialler], await keyPair(), ours).secureOutbound(near),
        encrypter(ends[listener], await keyPair(), theirs).secureInbound(far)
      ])
      t.is(outbound.streamMuxer?.protocol, inbound.streamMuxer?.protocol)
      t.is(outbound.streamMuxer?.protocol, agreed === true ? ours[0] : agreed)
    })

test('no muxer is agreed on where that is not asked for', async t => {
  const { near, far } = await connections(t)
  const options = { skipStreamMuxerNegotiation: true }
  const [outbound, inbound] = await Promise.all([
    encrypter(ends.ours, await keyPair(), ['/a']).secureOutbound(near, options),
    encrypter(ends.library, await keyPair(), ['/a']).secureInbound(far)
  ])
  t.is(outbound.streamMuxer, undefined)
  t.is(inbound.streamMuxer, undefined)
})

test('a node shows one certificate to all, another than other nodes, and takes up no session', async t => {
  const { port, accepted } = await transport(t)
  const [one, other] = [encrypter(ends.ours, await keyPair()), encrypter(ends.ours, await keyPair())]
  const shown = await certificateOf(await keyPair())
  const peer = async (by: ConnectionEncrypter, session?: Buffer) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...shown, ALPNProtocols: ['libp2p'], session })
    socket.on('error', () => {})
    t.teardown(() => void socket.destroy())
    const told = once(socket, 'session')
    const [{ connection }] = await Promise.all([by.secureInbound(await accepted()), once(socket, 'secureConnect')])
    connection.send(Buffer.from('x'))
    const [ticket] = (await told) as [Buffer]
    return { certificate: socket.getPeerX509Certificate()!.fingerprint256, ticket, isTakenUp: socket.isSessionReused() }
  }
  const first = await peer(one)
  const second = await peer(one, first.ticket)
  t.is(second.certificate, first.certificate)
  t.false(second.isTakenUp)
  t.not((await peer(other)).certificate, first.certificate)
})

/** What each side of a peer that fails comes to: an error of that connection, which is over. */
async function fails(t: ExecutionContext, connection: Over, secure: Promise<SecuredConnection>, message: RegExp): Promise<void> {
  await t.throwsAsync(secure, { message })
  t.not(connection.status, 'open')
  await until('the socket is closed', () => connection.socket.closed)
}

test('a peer that is another than who was dialled is refused, with who it is, and so is one that dials as another', async t => {
  const [ours, theirs, wanted] = await Promise.all([keyPair(), keyPair(), keyPair()])
  const names = new RegExp(
    `identity key ${peerIdFromPrivateKey(theirs)} does not match expected remote identity key ${peerIdFromPrivateKey(wanted)}`
  )
  for (const way of ['secureOutbound', 'secureInbound'] as const) {
    const { near, far } = await connections(t)
    const [our, their] = way === 'secureOutbound' ? [near, far] : [far, near]
    const back = way === 'secureOutbound' ? 'secureInbound' : 'secureOutbound'
    const other = encrypter(ends.ours, theirs)
      [back](their)
      .then(
        ({ connection }) => until('it is over for the peer', () => connection.status !== 'open'),
        () => true
      )
    await fails(t, our, encrypter(ends.ours, ours)[way](our, { remotePeer: peerIdFromPrivateKey(wanted) }), names)
    t.true(await other)
  }
})

const bad = {
  'that has expired': [{ valid: [-2, -1] }, /expired/],
  'that is not valid yet': [{ valid: [1, 2] }, /not valid yet/],
  'that another key has signed': [{ signer: strangersKey() }, /self signature/],
  'without the extension of libp2p': [{ extension: null }, /did not include the libp2p public key extension/],
  'with the extension of somebody else': [
    { extension: { oid: '2b0601040183a25a0102' } },
    /did not include the libp2p public key extension/
  ],
  'whose key the peer has not signed': [{ extension: { signed: 'libp2p-tls-handshakf:' } }, /Could not verify signature/],
  'whose extension is nonsense': [{ extension: { value: randomBytes(80) } }, /certificate/],
  'whose extension is empty': [{ extension: { value: new Uint8Array() } }, /certificate/]
} as const

/** A server and a client of TLS that know nothing of libp2p. */
const roles = {
  dials: async (t: ExecutionContext, shown: { readonly cert?: string; readonly key?: string }) => {
    const { port, accepted } = await transport(t)
    const raw = connect(port, '127.0.0.1')
    await once(raw, 'connect')
    const socket = connectTls({ socket: raw, rejectUnauthorized: false, ALPNProtocols: ['libp2p'], ...shown })
    t.teardown(() => void socket.destroy())
    return { raw, socket, connection: await accepted(), way: 'secureInbound' as const }
  },
  'is dialled': async (t: ExecutionContext, shown: { readonly cert?: string; readonly key?: string }) => {
    const server = createServer().listen(0, '127.0.0.1')
    t.teardown(() => void server.close())
    await once(server, 'listening')
    const incoming = once(server, 'connection')
    const connection = await (await transport(t)).dialled((server.address() as { readonly port: number }).port)
    const [raw] = (await incoming) as [Socket]
    t.teardown(() => void raw.destroy())
    const socket = new TLSSocket(raw, {
      isServer: true,
      requestCert: true,
      rejectUnauthorized: false,
      secureContext: createSecureContext(shown)
    })
    return { raw, socket, connection, way: 'secureOutbound' as const }
  }
}

for (const [role, begin] of Object.entries(roles)) {
  for (const [what, [making, message]] of Object.entries(bad))
    test(`a peer that ${role} and shows a certificate ${what} is refused`, async t => {
      const { socket, connection, way } = await begin(t, await certificateOf(await keyPair(), making))
      socket.on('error', () => {})
      await fails(t, connection, encrypter(ends.ours, await keyPair())[way](connection), message)
      await until('the peer is cut off', () => socket.destroyed)
    })

  test(`a peer that ${role} and shows a certificate as it should be is let in`, async t => {
    const key = await keyPair()
    const { socket, connection, way } = await begin(t, await certificateOf(key))
    socket.on('error', () => {})
    const { remotePeer, connection: stream } = await encrypter(ends.ours, await keyPair())[way](connection)
    t.is(`${remotePeer}`, `${peerIdFromPrivateKey(key)}`)
    const got = received(stream)
    socket.write('a word')
    await until('it is heard', () => got.bytes().toString() === 'a word')
  })

  test(`a peer that ${role} and sends garbage after the handshake is cut off`, async t => {
    const { raw, socket, connection, way } = await begin(t, await certificateOf(await keyPair()))
    socket.on('error', () => {})
    const { connection: stream } = await encrypter(ends.ours, await keyPair())[way](connection)
    const got = received(stream)
    // what looks like an encrypted record
    raw.write(Buffer.concat([Buffer.from([0x17, 3, 3, 0, 100]), randomBytes(100)]))
    await until('it is over', () => stream.status !== 'open' && connection.status !== 'open')
    t.is(got.length(), 0)
    await until('the socket is closed', () => connection.socket.closed && socket.destroyed)
  })
}

test('a peer that dials and shows no certificate is refused', async t => {
  const { socket, connection, way } = await roles.dials(t, {})
  socket.on('error', () => {})
  await fails(t, connection, encrypter(ends.ours, await keyPair())[way](connection), /showed no certificate/)
})

test('a peer that offers protocols of which none is of libp2p, or a version before 1.3, is refused', async t => {
  const shown = await certificateOf(await keyPair())
  for (const offered of [{ ALPNProtocols: ['h2'] }, { maxVersion: 'TLSv1.2' }] as const) {
    const { socket, connection, way } = await roles.dials(t, { ...shown, ...offered })
    socket.on('error', () => {})
    await fails(t, connection, encrypter(ends.ours, await keyPair())[way](connection), /protocol/)
  }
})

for (const way of ['secureInbound', 'secureOutbound'] as const) {
  /** Our side of a connection, and the bare socket of the other. */
  const bare = async (t: ExecutionContext) => {
    if (way === 'secureInbound') {
      const { port, accepted } = await transport(t)
      const peer = connect(port, '127.0.0.1')
      t.teardown(() => void peer.destroy())
      return { peer: peer.on('error', () => {}), connection: await accepted() }
    }
    const server = createServer().listen(0, '127.0.0.1')
    t.teardown(() => void server.close())
    await once(server, 'listening')
    const incoming = once(server, 'connection')
    const connection = await (await transport(t)).dialled((server.address() as { readonly port: number }).port)
    const [peer] = (await incoming) as [Socket]
    t.teardown(() => void peer.destroy())
    return { peer: peer.on('error', () => {}), connection }
  }

  test(`garbage in the place of a handshake is an error of that connection (${way})`, async t => {
    for (const garbage of [
      randomBytes(5_000),
      Buffer.alloc(100_000),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.from([0x15, 3, 3, 0, 2, 2, 40])
    ]) {
      const { peer, connection } = await bare(t)
      peer.resume().write(garbage)
      await fails(t, connection, encrypter(ends.ours, await keyPair())[way](connection), /./)
      await until('the peer is cut off', () => peer.closed)
    }
  })

  test(`a handshake that stalls is over with the time for it, and leaves nothing behind (${way})`, async t => {
    for (const sent of [Buffer.alloc(0), Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1])]) {
      const { peer, connection } = await bare(t)
      peer.resume().write(sent)
      const time = new AbortController()
      const securing = encrypter(ends.ours, await keyPair())[way](connection, { signal: time.signal })
      await until('it has begun', () => getEventListeners(time.signal, 'abort').length > 0)
      time.abort(new Error('the time is over'))
      await fails(t, connection, securing, /the time is over/)
      t.is(getEventListeners(time.signal, 'abort').length, 0)
      await until('the peer is cut off', () => peer.closed)
    }
  })

  test(`a peer that leaves amid the handshake, politely or not, is an error of that connection (${way})`, async t => {
    for (const leave of ['end', 'resetAndDestroy', 'destroy'] as const) {
      const { peer, connection } = await bare(t)
      const securing = encrypter(ends.ours, await keyPair())[way](connection)
      peer.resume().write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1]), () => void peer[leave]())
      await fails(t, connection, securing, /./)
    }
  })

  test(`a connection that is closed here amid the handshake is no longer secured (${way})`, async t => {
    const { connection } = await bare(t)
    const securing = encrypter(ends.ours, await keyPair())[way](connection)
    setImmediate(() => connection.abort(new Error('enough')))
    await fails(t, connection, securing, /./)
    const { connection: closed } = await bare(t)
    await closed.close()
    await fails(t, closed, encrypter(ends.ours, await keyPair())[way](closed), /closed before it was secured/)
  })
}

for (const [what, back] of [
  ['amid a record', 100],
  ['of its proof', 1]
] as const)
  test(`a bit that is another ${what} ends the connection, whichever side sees it`, async t => {
    for (const [from, to] of [
      ['outbound', 'inbound'],
      ['inbound', 'outbound']
    ] as const) {
      const proxied = await throughProxy(t, from === 'outbound' ? 'up' : 'down')
      const got = received(proxied[to])
      proxied.spoil(back)
      proxied[from].send(Buffer.alloc(4096, 1))
      await until('it is over', () => proxied[to].status !== 'open')
      t.is(got.length(), 0)
      await until('for the other side, too', () => proxied[from].status !== 'open')
    }
  })

/** Two ends with somebody between them, who may change a bit of what goes one way. */
async function throughProxy(t: ExecutionContext, way: 'up' | 'down') {
  const far = await transport(t)
  let spoilt = -1
  const proxy = createServer(client => {
    const server = connect(far.port, '127.0.0.1')
    for (const [from, to, name] of [
      [client, server, 'up'],
      [server, client, 'down']
    ] as const) {
      t.teardown(() => void from.destroy())
      from.on('data', bytes => {
        if (name === way && spoilt > 0) bytes[bytes.length - spoilt]! ^= 1
        to.write(bytes)
      })
      from.on('error', () => {}).on('close', () => void to.destroy())
    }
  }).listen(0, '127.0.0.1')
  t.teardown(() => void proxy.close())
  await once(proxy, 'listening')
  const near = await (await transport(t)).dialled((proxy.address() as { readonly port: number }).port)
  const [outbound, inbound] = await Promise.all([
    encrypter(ends.ours, await keyPair()).secureOutbound(near),
    encrypter(ends.ours, await keyPair()).secureInbound(await far.accepted())
  ])
  const spoil = (back: number) => {
    spoilt = back
  }
  return { outbound: outbound.connection, inbound: inbound.connection, spoil }
}

test('a connection that closes sends all that was written before, and is then over on both sides', async t => {
  const { near, far, outbound, inbound } = await secured(t)
  const got = received(inbound)
  for (let i = 0; i < 80; i++) outbound.send(Buffer.alloc(65_536, i))
  outbound.send(Buffer.alloc(100, 1))
  t.true(outbound.writeBufferLength > 0, 'more than the socket takes')
  const closing = near.close()
  await until('all is handed over', () => (outbound as MessageStream & { readonly writeStatus: string }).writeStatus !== 'writable')
  t.throws(() => outbound.send(Buffer.from('x')), { name: 'StreamStateError' })
  await closing
  t.is(near.status, 'closed')
  t.true(near.socket.closed)
  await until('it is over for the other side', () => inbound.status !== 'open')
  t.is(got.length(), 80 * 65_536 + 100)
  await until('the socket is closed', () => far.socket.closed)
  t.deepEqual([outbound.status, far.status], ['closed', 'closed'])
})

test('a connection that closes towards a peer that does not read is over with the time for that', async t => {
  const { near, far, outbound, inbound } = await secured(t)
  received(inbound)
  inbound.pause()
  while (outbound.send(Buffer.alloc(65_536)) || near.socket.bytesWritten === 0) await new Promise(resolve => setImmediate(resolve))
  await until('the sockets are full', async () => {
    const { bytesWritten } = near.socket
    await new Promise(resolve => setTimeout(resolve, 50))
    return near.socket.bytesWritten === bytesWritten
  })
  const time = new AbortController()
  const closing = near.close({ signal: time.signal })
  time.abort(new Error('the time is over'))
  await t.throwsAsync(closing)
  near.abort(new Error('enough'))
  await until('both are over', () => near.socket.closed && outbound.status === 'aborted')
  inbound.resume()
  await until('and for the other side', () => far.socket.closed && inbound.status !== 'open')
})

for (const aborts of ['near', 'far'] as const)
  test(`a connection that is aborted at one end is over at both (${aborts})`, async t => {
    const { near, far, outbound, inbound } = await secured(t)
    received(inbound)
    received(outbound)
    ;({ near, far })[aborts].abort(new Error('enough'))
    await until(
      'both are over',
      () => outbound.status !== 'open' && inbound.status !== 'open' && near.status !== 'open' && far.status !== 'open'
    )
    await until('the sockets are closed', () => near.socket.closed && far.socket.closed)
    t.throws(() => outbound.send(Buffer.from('x')))
    t.throws(() => inbound.send(Buffer.from('x')))
  })

test('a peer that ends is over at once, whatever waits to be sent to it', async t => {
  const { socket, connection, way } = await roles.dials(t, await certificateOf(await keyPair()))
  const { connection: stream } = await encrypter(ends.ours, await keyPair())[way](connection)
  received(stream)
  while (stream.send(Buffer.alloc(65_536))) await new Promise(resolve => setImmediate(resolve))
  socket.on('error', () => {}).end()
  await until('it is over', () => stream.status !== 'open' && connection.socket.closed)
  t.is(connection.status, 'closed')
})

test('who sends more than the other side reads is asked to wait, and goes on when that one does', async t => {
  const { outbound, inbound } = await secured(t)
  const got = received(inbound)
  inbound.pause()
  let sent = 0
  do {
    sent += 65_536
    if (outbound.send(randomBytes(65_536))) await new Promise(resolve => setImmediate(resolve))
  } while (!outbound.writableNeedsDrain)
  t.true(sent > 0)
  let drained = 0
  outbound.addEventListener('drain', () => void drained++)
  inbound.resume()
  await until('all came', () => got.length() === sent)
  t.true(drained > 0)
})

test('a connection over which nothing goes is over with the time of the transport, which what is encrypted renews', async t => {
  const time = 1_000
  for (;;) {
    const { near, outbound, inbound } = await secured(t)
    near.socket.setTimeout(time)
    const got = received(inbound)
    const begin = performance.now()
    let [sent, last, longest] = [0, begin, 0]
    while (last - begin < 2 * time && outbound.status === 'open') {
      outbound.send(Buffer.from('x'))
      sent++
      await until('it came', () => got.length() === sent || outbound.status !== 'open')
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }
    // on a machine that stood still meanwhile it says nothing
    if (longest > time / 2) continue
    t.is(outbound.status, 'open')
    await until('it is over', () => outbound.status !== 'open' && inbound.status !== 'open')
    t.is(near.status, 'aborted')
    return
  }
})

test('all that is sent in one turn of the event loop is encrypted in one call, and what is long goes on by itself', async t => {
  const { outbound, inbound } = await secured(t)
  const got = received(inbound)
  const { socket } = outbound as unknown as { readonly socket: Socket }
  const handle = (socket as unknown as { readonly _handle: Record<string, (...args: unknown[]) => unknown> })._handle
  let calls = 0
  for (const name of ['writeBuffer', 'writev'] as const) {
    const library = handle[name]!.bind(handle)
    handle[name] = (...args) => {
      calls++
      return library(...args)
    }
  }
  for (let i = 0; i < 10; i++) outbound.send(Buffer.alloc(100, i))
  await until('all came', () => got.length() === 1000)
  t.is(calls, 1)
  outbound.send(Buffer.alloc(200_000))
  await until('all came', () => got.length() === 201_000)
  t.is(calls, 2)
})

test('whoever owns the process hears of the memory that is decrypted to', async t => {
  const { outbound, inbound } = await secured(t)
  let told = 0
  const listen = (bytes: unknown) => {
    told += bytes as number
  }
  takenMemory.subscribe(listen)
  t.teardown(() => takenMemory.unsubscribe(listen))
  const got = received(inbound)
  outbound.send(Buffer.alloc(50_000))
  await until('all came', () => got.length() === 50_000)
  t.true(told >= 50_000)
})
