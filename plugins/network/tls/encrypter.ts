import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { connect, createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import type {
  ConnectionEncrypter,
  MessageStream,
  PeerId,
  PrivateKey,
  SecureConnectionOptions,
  SecuredConnection,
  StreamMuxerFactory,
  Upgrader
} from '@libp2p/interface'
import { takenMemory } from '../../../core/memory.ts'
import { closeWritten, writeAtOnce } from '../streams/writes.ts'
import { closeBy, takeSocket } from './socket.ts'

/** What two peers agree on in the handshake where they agree on the muxer behind it (libp2p specs, tls). */
const NO_MUXER = 'libp2p'

type Library = typeof import('@libp2p/tls/utils')

/** The parts of libp2p, which has some of them only later. */
interface Components {
  readonly privateKey: PrivateKey
  readonly upgrader: Pick<Upgrader, 'getStreamMuxers'>
}

/**
 * TLS by Node.js over the socket of a connection, where it has one: what is encrypted does not pass through JavaScript. The library makes this node's
 * certificate, once, and checks those of peers.
 */
export function tlsEncrypter(components: Components): ConnectionEncrypter {
  let loaded: Promise<readonly [Library, SecureContext]> | undefined
  const secure = async (
    isServer: boolean,
    connection: MessageStream,
    options: SecureConnectionOptions = {}
  ): Promise<SecuredConnection> => {
    loaded ??= load(components.privateKey)
    const [library, secureContext] = await loaded
    const { signal, remotePeer: expected, skipStreamMuxerNegotiation } = options
    signal?.throwIfAborted()
    if (connection.status !== 'open') throw closed()
    const muxers = skipStreamMuxerNegotiation === true ? new Map<string, StreamMuxerFactory>() : components.upgrader.getStreamMuxers()
    const taken = takeSocket(connection)
    const under = taken ?? library.toNodeDuplex(connection)
    const settings = { secureContext, rejectUnauthorized: false }
    const socket = isServer
      ? new TLSSocket(under as Socket, {
          ...settings,
          isServer,
          requestCert: true,
          ALPNCallback: ({ protocols }) => protocols.find(name => muxers.has(name)) ?? protocols.find(name => name === NO_MUXER)
        })
      : connect({ ...settings, socket: under, ALPNProtocols: [...muxers.keys(), NO_MUXER] })
    try {
      const remotePeer = await handshake(socket, signal, certificate => checked(library, certificate, expected))
      const muxer = socket.alpnProtocol || NO_MUXER
      const streamMuxer = muxers.get(muxer)
      if (streamMuxer === undefined && muxer !== NO_MUXER) throw new Error(`the peer chose the muxer ${muxer}, which it was not offered`)
      if (socket.destroyed || connection.status !== 'open') throw closed()
      const secured = library.toMessageStream(connection, socket)
      writeAtOnce(secured)
      if (taken !== undefined) {
        closeBy(socket, connection, secured)
        closeWritten(connection, secured)
      }
      socket.on('data', tell)
      // who has ended reads no more
      socket.once('end', () => socket.destroy())
      return { remotePeer, connection: secured, ...(streamMuxer && { streamMuxer }) }
    } catch (error) {
      socket.destroy()
      connection.abort(error as Error)
      throw error
    }
  }
  return {
    protocol: '/tls/1.0.0',
    secureInbound: (connection, options) => secure(true, connection, options),
    secureOutbound: (connection, options) => secure(false, connection, options),
    // @ts-expect-error libp2p asks for the name under which parts know each other
    [Symbol.toStringTag]: '@libp2p/tls'
  }
}

/** The library, whose certificates take long to import, and what this node shows to all peers. */
async function load(privateKey: PrivateKey): Promise<readonly [Library, SecureContext]> {
  const library = await import('@libp2p/tls/utils')
  const context = createSecureContext({
    ...(await library.generateCertificate(privateKey)),
    // peers sign for themselves
    ca: [],
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    // each connection proves anew who the peer is
    secureOptions: constants.SSL_OP_NO_TICKET
  })
  return [library, context]
}

/** @param check - who the certificate of the peer is of */
function handshake(
  socket: TLSSocket,
  signal: AbortSignal | undefined,
  check: (certificate: Uint8Array | undefined) => Promise<PeerId>
): Promise<PeerId> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerId>()
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  // without a server of Node.js', an error is told by this event alone
  socket.on('_tlsError', error => void socket.destroy(error))
  socket.on('error', reject)
  socket.on('close', () => reject(closed()))
  // told from within OpenSSL, which a socket that is destroyed before it returns takes the process down with
  socket.once('secure', () => setImmediate(() => check(socket.getPeerX509Certificate()?.raw).then(resolve, reject)))
  return promise.finally(() => signal?.removeEventListener('abort', abort))
}

/** @returns who a certificate is of */
async function checked(
  { verifyPeerCertificate }: Library,
  certificate: Uint8Array | undefined,
  expected: PeerId | undefined
): Promise<PeerId> {
  if (certificate === undefined) throw new Error('the peer showed no certificate')
  const peer = await verifyPeerCertificate(certificate).catch(error => {
    throw error instanceof TypeError ? new Error('the certificate of the peer cannot be read', { cause: error }) : error
  })
  if (expected?.equals(peer) === false) throw new Error(`identity key ${peer} does not match expected remote identity key ${expected}`)
  return peer
}

function tell({ length }: Uint8Array): void {
  if (takenMemory.hasSubscribers) takenMemory.publish(length)
}

const closed = () => new Error('the connection closed before it was secured')
