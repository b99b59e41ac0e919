import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { messageOf, type Network, type PeerStream } from '../../core/index.ts'
import { bounded } from '../../core/timing.ts'
import { type ServiceAddress, type SocketAddress, socketText } from './addresses.ts'
import { connectDatagrams } from './datagrams.ts'
import { p2pErrors } from './errors.ts'
import type { P2pSettings } from './settings.ts'
import type { OpenStreams } from './streams.ts'

/** The protocol that stands for all of them in what peers are told, as in the reference. A service can be offered under it as well. */
export const NAMESPACE = '/x/'

/** A service of this machine that peers reach by a protocol. */
interface Offer {
  readonly protocol: string
  readonly target: ServiceAddress
  /** Whether the service is told who comes, by the peer's ID and a line end before all else. */
  readonly reportPeer: boolean
}

interface Parts {
  readonly network: Network
  readonly streams: OpenStreams
  readonly settings: P2pSettings
}

/** The services of this machine that peers can reach. */
export class Offers {
  readonly #parts: Parts
  readonly #offers = new Map<string, Offer & { readonly ended: Promise<void>; end(): Promise<void> }>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Tells peers that there may be services, as long as the node runs. */
  async start(): Promise<void> {
    const { network, settings } = this.#parts
    await network.handle(NAMESPACE, stream => this.#serve(stream), { maxInbound: settings.maxStreams })
  }

  list(): readonly Offer[] {
    return [...this.#offers.values()]
  }

  /** @returns what resolves when it is offered no more. @throws E_P2P_REGISTERED, E_PROTOCOL_SERVED */
  async add(offer: Offer): Promise<{ readonly ended: Promise<void> }> {
    const { network, settings } = this.#parts
    const { protocol } = offer
    if (this.#offers.has(protocol)) throw p2pErrors.E_P2P_REGISTERED()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    let unserve = async () => {}
    const end = async () => {
      resolve()
      await unserve()
    }
    this.#offers.set(protocol, { ...offer, ended, end })
    if (protocol === NAMESPACE) return { ended }
    try {
      const handler = (stream: PeerStream) => this.#serve(stream)
      unserve = await network.handle(protocol, handler, { maxInbound: settings.maxStreams, announced: false })
      return { ended }
    } catch (error) {
      this.#offers.delete(protocol)
      throw error
    }
  }

  /** Offers it no more; connections that are open stay. */
  async remove(protocol: string): Promise<void> {
    const offer = this.#offers.get(protocol)
    this.#offers.delete(protocol)
    await offer?.end()
  }

  async #serve(stream: PeerStream): Promise<void> {
    const { streams, settings } = this.#parts
    const offer = this.#offers.get(stream.protocol)
    if (offer === undefined) throw new Error('nothing is offered under this protocol')
    const { target, reportPeer } = offer
    await streams.place(stream.peer, async () => {
      const local = await reach(target, settings.dialTimeout)
      if (reportPeer) local.write(`${stream.peer}\n`)
      await streams.carry({ origin: `/p2p/${stream.peer}`, target: target.text }, local, stream)
    })
  }
}

/** @throws E_P2P_TARGET */
async function reach({ text, socket }: ServiceAddress, timeout: number): Promise<Duplex> {
  const connect = socket.network.startsWith('udp') ? connectDatagrams : connectStream
  const late = () => new Error(`not within ${timeout} ms`)
  try {
    return await bounded(timeout, undefined, late, signal => connect(socket, signal))
  } catch (error) {
    throw p2pErrors.E_P2P_TARGET(text, messageOf(error))
  }
}

async function connectStream(address: SocketAddress, signal: AbortSignal): Promise<Duplex> {
  const { network, host, port } = address
  const family = network.endsWith('4') ? 4 : network.endsWith('6') ? 6 : 0
  const socket = connect({ host, port: port!, family, allowHalfOpen: true, noDelay: true })
  const leave = () => socket.destroy(new Error(socketText(address)))
  signal.addEventListener('abort', leave, { once: true })
  try {
    await once(socket, 'connect')
    return socket
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
