import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type Logger, messageOf, type Network } from '../../core/index.ts'
import { type PeerTarget, type SocketAddress, socketText } from './addresses.ts'
import { p2pErrors } from './errors.ts'
import { tear } from './join.ts'
import type { P2pSettings } from './settings.ts'
import type { OpenStreams } from './streams.ts'

/** A socket of this machine that leads to a service of a peer. */
interface Forward {
  readonly protocol: string
  /** Where it listens, a multiaddr with the port that it really has. */
  readonly listen: string
  readonly peer: string
  /** Resolves when it listens no more. */
  readonly ended: Promise<void>
}

interface Parts {
  readonly network: Network
  readonly streams: OpenStreams
  readonly settings: P2pSettings
  readonly log: Logger
}

/** Why a socket cannot listen, in the words of the system as Go has them. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'bind: address already in use',
  EADDRNOTAVAIL: 'bind: cannot assign requested address',
  EACCES: 'bind: permission denied'
}

/** The sockets of this machine that lead to services of peers. */
export class Forwards {
  readonly #parts: Parts
  readonly #forwards = new Map<Server, { readonly forward: Forward; end(): void }>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  list(): readonly Forward[] {
    return [...this.#forwards.values()].map(({ forward }) => forward)
  }

  /** @throws E_P2P_LISTEN */
  async add(protocol: string, at: SocketAddress, { peer, addresses }: PeerTarget): Promise<Forward> {
    const server = await listen(at)
    const { address, family, port } = server.address() as AddressInfo
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const forward = { protocol, peer, listen: `/${family === 'IPv6' ? 'ip6' : 'ip4'}/${address}/tcp/${port}`, ended }
    await this.#parts.network.remember(peer, addresses)
    this.#forwards.set(server, { forward, end })
    server.on('connection', socket => void this.#accept(socket, forward))
    return forward
  }

  /** Listens no more; connections that are open stay. */
  remove(forward: Forward): void {
    for (const [server, { forward: one, end }] of this.#forwards) {
      if (one !== forward) continue
      this.#forwards.delete(server)
      server.close()
      end()
    }
  }

  async #accept(local: Socket, { protocol, peer }: Forward): Promise<void> {
    const { network, streams, settings, log } = this.#parts
    const origin = `/${local.remoteFamily === 'IPv6' ? 'ip6' : 'ip4'}/${local.remoteAddress}/tcp/${local.remotePort}`
    // until it is joined nobody else hears of it
    const gone = (error: Error) => log.debug(`a client at ${origin}: ${messageOf(error)}`)
    local.on('error', gone)
    try {
      await streams.place(undefined, async () => {
        const signal = AbortSignal.timeout(settings.dialTimeout)
        const remote = await network.open(peer, protocol, { signal, maxOutbound: settings.maxStreams })
        await streams.carry({ origin, target: `/p2p/${peer}` }, local, remote)
      })
    } catch (error) {
      log.debug(`a connection of ${origin} to ${protocol} of ${peer} was given up: ${messageOf(error)}`)
      tear(local)
    }
  }
}

/** @throws E_P2P_LISTEN */
async function listen(at: SocketAddress): Promise<Server> {
  const { network, host, port } = at
  if (port === undefined) throw p2pErrors.E_P2P_LISTEN(network, `unknown network ${network}`)
  const text = socketText(at)
  if (!network.startsWith('tcp')) throw p2pErrors.E_P2P_LISTEN(text, `address ${text.split(' ')[1]}: unexpected address type`)
  const server = createServer({ allowHalfOpen: true, noDelay: true })
  try {
    server.listen({ host, port, ipv6Only: network === 'tcp6' })
    await once(server, 'listening')
    return server
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw p2pErrors.E_P2P_LISTEN(text, REASONS[code] ?? messageOf(error))
  }
}
