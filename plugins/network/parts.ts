import { type ContentRouting, contentRoutingSymbol, type PeerRouting, peerDiscoverySymbol, peerRoutingSymbol } from '@libp2p/interface'
import type { Node } from './libp2p/node.ts'

/** A part that may have a life among libp2p's services. */
interface Living {
  beforeStart?(): unknown
  start?(): unknown
  afterStart?(): unknown
  beforeStop?(): unknown
  stop?(): unknown
  afterStop?(): unknown
}

interface Offering extends Living {
  readonly [peerRoutingSymbol]?: PeerRouting
  readonly [contentRoutingSymbol]?: ContentRouting
  readonly [peerDiscoverySymbol]?: EventTarget
}

type Use = (routing: PeerRouting | undefined, discovery: EventTarget | undefined) => void

/** Services written against libp2p that plugins add: they start when libp2p listens, and stop before it does. */
export class Parts {
  readonly #node: Node
  readonly #use: Use
  readonly #all: Living[] = []
  #runs = false

  constructor(node: Node, use: Use) {
    this.#node = node
    this.#use = use
  }

  add<C, T extends object>(make: (components: C) => T): T {
    const part = make(this.#node.components as unknown as C)
    const offering = part as Offering
    this.#use(offering[peerRoutingSymbol], offering[peerDiscoverySymbol])
    const routing = offering[contentRoutingSymbol]
    // libp2p's own list of routers: those that ask it for content ask this one as well
    if (routing !== undefined) (this.#node.contentRouting as unknown as { routers: ContentRouting[] }).routers.push(routing)
    const peers = offering[peerRoutingSymbol]
    if (peers !== undefined) (this.#node.peerRouting as unknown as { routers: PeerRouting[] }).routers.push(peers)
    this.#all.push(offering)
    if (this.#runs) void this.#startOne(offering)
    return part
  }

  transport<C, T extends object>(make: (components: C) => T): T {
    const { components } = this.#node
    const made = make(components as unknown as C)
    components.transportManager.add(made as Parameters<typeof components.transportManager.add>[0])
    return made
  }

  async start(): Promise<void> {
    this.#runs = true
    for (const part of this.#all) await this.#startOne(part)
  }

  async stop(): Promise<void> {
    this.#runs = false
    for (const part of this.#all.toReversed()) {
      await part.beforeStop?.()
      await part.stop?.()
      await part.afterStop?.()
    }
  }

  async #startOne(part: Living): Promise<void> {
    await part.beforeStart?.()
    await part.start?.()
    await part.afterStart?.()
  }
}
