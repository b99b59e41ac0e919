import { type Logger, type Network, type Startable, type Token, token } from '../../core/index.ts'
import { type AskForText, multiaddrText, parseMultiaddr } from '../../core/multiaddr/index.ts'
import { parsePeer, parseService, socketAddress } from './addresses.ts'
import { p2pErrors } from './errors.ts'
import { Forwards } from './forwards.ts'
import { NAMESPACE, Offers } from './offers.ts'
import type { P2pSettings } from './settings.ts'
import { type OpenStream, OpenStreams } from './streams.ts'

/** A service that is offered to peers, or forwarded from one. */
interface ForwardedService {
  readonly protocol: string
  /** Where connections come in: a multiaddr of this machine, or `/p2p/` and the node's own ID. */
  readonly listen: string
  /** Where they lead: `/p2p/` and a peer, or a multiaddr of this machine. */
  readonly target: string
}

/** A service that was just offered or forwarded. */
export interface RunningService {
  /** Resolves when it is closed, by whomever. */
  readonly ended: Promise<void>
  /** Closes it; connections that are open stay. */
  end(): Promise<void>
}

/** The filter of listeners to be closed: every member that is given has to fit. */
interface CloseMatch {
  readonly protocol?: string | undefined
  readonly listen?: string | undefined
  readonly target?: string | undefined
}

/** Whether any protocol may be used, and not those below `/x/` alone. */
interface ProtocolOptions {
  readonly custom: boolean
}

/** Services of this machine for peers, and services of peers on this machine. */
export interface P2p {
  /** Offers a service to peers. Nobody is dialled before a peer comes. @throws E_MULTIADDR, E_P2P_…, E_PROTOCOL_SERVED */
  offer(protocol: string, target: string, options: ProtocolOptions & { readonly reportPeer: boolean }): Promise<RunningService>
  /** Listens on a socket of this machine, and leads who comes to a service of a peer. @throws E_MULTIADDR, E_P2P_… */
  forward(
    protocol: string,
    listen: string,
    target: string,
    options: ProtocolOptions & { readonly signal: AbortSignal }
  ): Promise<RunningService>
  /** Forwarded ones first. */
  list(): readonly ForwardedService[]
  /** Connections that are open stay. @returns how many there were. @throws E_MULTIADDR */
  close(match: CloseMatch): Promise<number>
  /** The connections that are open. */
  streams(): readonly OpenStream[]
  /** Tears one connection, or with undefined all of them. */
  closeStream(id: number | undefined): void
}
export const P2p: Token<P2p> = token<P2p>('p2p')

interface P2pParts {
  readonly network: Network
  readonly settings: P2pSettings
  readonly log: Logger
  readonly ask: AskForText
}

export class P2pService implements P2p, Startable {
  readonly #parts: P2pParts
  readonly #streams: OpenStreams
  readonly #offers: Offers
  readonly #forwards: Forwards

  constructor(parts: P2pParts) {
    const { network, settings } = parts
    this.#parts = parts
    this.#streams = new OpenStreams(network, settings)
    this.#offers = new Offers({ ...parts, streams: this.#streams })
    this.#forwards = new Forwards({ ...parts, streams: this.#streams })
  }

  start(): Promise<void> {
    return this.#offers.start()
  }

  stop(): void {
    for (const forward of this.#forwards.list()) this.#forwards.remove(forward)
    this.#streams.closeAll()
  }

  async offer(
    protocol: string,
    target: string,
    { custom, reportPeer }: ProtocolOptions & { readonly reportPeer: boolean }
  ): Promise<RunningService> {
    const address = await parseService(target)
    checkProtocol(protocol, custom)
    this.#checkRoom()
    const { ended } = await this.#offers.add({ protocol, target: address, reportPeer })
    // once it has ended, the protocol may be another's
    let isOpen = true
    void ended.then(() => {
      isOpen = false
    })
    return { ended, end: async () => void (isOpen && (await this.#offers.remove(protocol))) }
  }

  async forward(
    protocol: string,
    listen: string,
    target: string,
    { custom, signal }: ProtocolOptions & { readonly signal: AbortSignal }
  ): Promise<RunningService> {
    const { ask, settings } = this.#parts
    const parts = await parseMultiaddr(listen)
    const peer = await parsePeer(target, ask, AbortSignal.any([signal, AbortSignal.timeout(settings.resolveTimeout)]))
    checkProtocol(protocol, custom)
    this.#checkRoom()
    const forward = await this.#forwards.add(protocol, socketAddress(parts), peer)
    return { ended: forward.ended, end: async () => this.#forwards.remove(forward) }
  }

  list(): readonly ForwardedService[] {
    const nodePath = `/p2p/${this.#parts.network.self}`
    return [
      ...this.#forwards.list().map(({ protocol, listen, peer }) => ({ protocol, listen, target: `/p2p/${peer}` })),
      ...this.#offers.list().map(({ protocol, target }) => ({ protocol, listen: nodePath, target: target.text }))
    ]
  }

  async close({ protocol, listen, target }: CloseMatch): Promise<number> {
    const nodePath = `/p2p/${this.#parts.network.self}`
    const [listenText, targetText] = await Promise.all([listen, target].map(canonicalText))
    const fits = (one: ForwardedService) =>
      (protocol === undefined || one.protocol === protocol) &&
      (listenText === undefined || one.listen === listenText) &&
      (targetText === undefined || one.target === targetText)
    const forwards = this.#forwards.list().filter(one => fits({ ...one, target: `/p2p/${one.peer}` }))
    const offers = this.#offers.list().filter(one => fits({ protocol: one.protocol, listen: nodePath, target: one.target.text }))
    for (const forward of forwards) this.#forwards.remove(forward)
    for (const offer of offers) await this.#offers.remove(offer.protocol)
    return forwards.length + offers.length
  }

  streams(): readonly OpenStream[] {
    return this.#streams.list()
  }

  closeStream(id: number | undefined): void {
    if (id === undefined) this.#streams.closeAll()
    else this.#streams.close(id)
  }

  #checkRoom(): void {
    const { maxServices } = this.#parts.settings
    if (this.#offers.list().length + this.#forwards.list().length >= maxServices) throw p2pErrors.E_P2P_MANY(maxServices)
  }
}

function checkProtocol(protocol: string, custom: boolean): void {
  if (!custom && !protocol.startsWith(NAMESPACE)) throw p2pErrors.E_P2P_PROTOCOL()
}

/** @throws E_MULTIADDR */
async function canonicalText(address: string | undefined): Promise<string | undefined> {
  return address === undefined ? undefined : multiaddrText(await parseMultiaddr(address))
}
