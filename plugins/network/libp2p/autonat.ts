import type { AutoNATComponents } from '@libp2p/autonat'
import type { AutoNATv2Components } from '@libp2p/autonat-v2'
import type { StreamHandler } from '@libp2p/interface'
import type { ConnectionManager, Registrar } from '@libp2p/interface-internal'

type Dials = ConnectionManager['openConnection']

/** The protocol by which a peer asks to be dialled (AutoNAT v2). */
export const DIAL_REQUEST = '/libp2p/autonat/2/dial-request'

/** The protocol of AutoNAT v1. */
const FIRST = '/libp2p/autonat/1.0.0'

/** Requests a minute that are answered, of all peers and of one, by the protocol (go-libp2p, p2p/host/autonat and p2p/protocol/autonatv2). */
export const REQUESTS = { first: { all: 30, ofPeer: 3 }, second: { all: 60, ofPeer: 12 } } as const

const MINUTE = 60_000

/** Counts requests of the last minute. */
export class Requests {
  readonly #most: { readonly all: number; readonly ofPeer: number }
  readonly #now: () => number
  #asked: Array<{ readonly peer: string; readonly at: number }> = []

  /** @param now - milliseconds of a clock that never goes back */
  constructor(most: { readonly all: number; readonly ofPeer: number }, now: () => number = () => performance.now()) {
    this.#most = most
    this.#now = now
  }

  /** Whether one more of a peer is answered; it counts if so. */
  admit(peer: string): boolean {
    const now = this.#now()
    this.#asked = this.#asked.filter(({ at }) => now - at < MINUTE)
    if (this.#asked.length >= this.#most.all) return false
    if (this.#asked.filter(one => one.peer === peer).length >= this.#most.ofPeer) return false
    this.#asked.push({ peer, at: now })
    return true
  }
}

/**
 * The components for AutoNAT v1, which dials by a connection of its own. The library closes what its dial gives it: without this, the
 * connection with the peer that asks (`@libp2p/autonat` 3.0, the service's answer to a request). As it dials now, requests are counted.
 */
export function dialsAnew(components: AutoNATComponents, requests: Requests): AutoNATComponents {
  const { registrar, connectionManager } = components
  // several addresses are those of a peer that is looked for, to ask it
  const openConnection: Dials = (target, options) =>
    connectionManager.openConnection(target, Array.isArray(target) ? options : { ...options, force: true })
  return bound(components, {
    registrar: counting(registrar, FIRST, requests),
    connectionManager: bound(connectionManager, { openConnection })
  })
}

/**
 * The components for AutoNAT v2, so that peers cannot have this node dial as they like: requests are counted, and each has one
 * address dialled, the first that can be. The library would dial all that a request names.
 */
export function dialsBackLittle(components: AutoNATv2Components, requests: Requests): AutoNATv2Components {
  const { registrar, connectionManager } = components
  /** Requests, by the signal that the library makes for each, that have had an address dialled. */
  const dialled = new WeakSet<AbortSignal>()
  const isSpent = (signal: AbortSignal | undefined) => signal !== undefined && dialled.has(signal)
  const isDialable: ConnectionManager['isDialable'] = async (address, options) =>
    !isSpent(options?.signal) && (await connectionManager.isDialable(address, options))
  const openConnection: Dials = (target, options) => {
    if (options?.signal !== undefined) dialled.add(options.signal)
    return connectionManager.openConnection(target, options)
  }
  return bound(components, {
    registrar: counting(registrar, DIAL_REQUEST, requests),
    connectionManager: bound(connectionManager, { isDialable, openConnection })
  })
}

/** A registrar whose handler of the protocol gets the requests alone that are admitted. */
function counting(registrar: Registrar, counted: string, requests: Requests): Registrar {
  const handle: Registrar['handle'] = (protocol, handler, options) =>
    registrar.handle(protocol, protocol === counted ? admitting(handler, requests) : handler, options)
  return bound(registrar, { handle })
}

function admitting(handler: StreamHandler, requests: Requests): StreamHandler {
  return async (stream, connection) => {
    try {
      if (!requests.admit(`${connection.remotePeer}`)) throw new Error('too many requests to dial back')
      await handler(stream, connection)
    } catch (error) {
      stream.abort(error as Error)
    }
  }
}

/** An object with some of its members replaced; its methods see the object itself. */
function bound<T extends object>(whole: T, replaced: Partial<T>): T {
  return new Proxy(whole, {
    get(target, name) {
      if (Object.hasOwn(replaced, name)) return replaced[name as keyof T]
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    }
  })
}
