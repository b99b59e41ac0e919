import type { Connection, Stream } from '@libp2p/interface'
import { hear, stays } from '../streams/heard.ts'

/** Called with the connection of a peer that did not say what it is. */
export type Unidentified = (connection: Connection, error: Error) => void

type Make<C, T> = (components: C) => T

/** A message of identify, as far as its addresses go that the library reads in vain where one is of a kind that it does not know. */
interface Said {
  readonly observedAddr?: Uint8Array | undefined
  readonly signedPeerRecord?: Uint8Array | undefined
}

interface Asking {
  identify(connection: Connection, options?: object): Promise<unknown>
  _identify(connection: Connection, options?: { readonly signal?: AbortSignal }): Promise<Said>
  handleProtocol(stream: Stream, connection: Connection): Promise<void>
  maybeAddObservedAddress(observed: Uint8Array | undefined): void
}

/** The code of a multiaddr's part with a peer's ID. */
const P2P = 421

interface Pushing {
  handleProtocol(stream: Stream, connection: Connection): Promise<void>
  stop(): Promise<void>
  push(): Promise<void>
  _push: { stop(): void }
}

/** A peer has begun a message of identify, and the rest does not come. */
class InvalidHalfError extends Error {
  override readonly name = 'InvalidHalfError'
  constructor() {
    super('it began one, and the rest did not come')
  }
}

/** Whether a peer could not be identified for what it sent, and not because it was slow, left, or does not speak the protocol. */
export function isMalformed({ name }: Error): boolean {
  return name.startsWith('Invalid') || name === 'RangeError'
}

/** Whether a message was not taken for an address that is none here: it may be of a kind that is newer than this node. */
function isOfAddress({ name }: Error): boolean {
  return name === 'UnknownProtocolError' || name === 'InvalidMultiaddrError' || name === 'ValidationError'
}

/** The same service, of which `change` has replaced members once it was made. */
function changed<C, T, P>(make: Make<C, T>, change: (parts: P) => void): Make<C, T> {
  return components => {
    const made = make(components)
    change(made as unknown as P)
    return made
  }
}

/** Identify without a protocol version, a field that is deprecated, and that the reference sends empty. */
export function unversioned<C, T>(make: Make<C, T>): Make<C, T> {
  return changed(make, ({ host }: { host?: { protocolVersion: string } }) => {
    if (host !== undefined) host.protocolVersion = ''
  })
}

/**
 * Identify by which a peer is told where it is seen without its own ID: go-libp2p takes only addresses whose parts are those of one that it
 * listens on. A peer may have seen this node at no address of a network, as rust-libp2p over a relay, which says the ID alone.
 */
export function observing<C, T>(make: Make<C, T>): Make<C, T> {
  return changed(make, (parts: Asking) => {
    const [handle, add] = [parts.handleProtocol.bind(parts), parts.maybeAddObservedAddress.bind(parts)]
    parts.handleProtocol = async (stream, { remoteAddr }) => {
      const isLast = remoteAddr.getComponents().at(-1)?.code === P2P
      await handle(stream, { remoteAddr: isLast ? remoteAddr.decapsulateCode(P2P) : remoteAddr } as Connection)
    }
    parts.maybeAddObservedAddress = observed => {
      try {
        add(observed)
      } catch {
        // no address of this node
      }
    }
  })
}

/** Identify that tells of each peer that does not say what it is. One whose addresses are no such here is known by all else that it says. */
export function watched<C, T>(make: Make<C, T>, failed: Unidentified): Make<C, T> {
  return changed(make, (parts: Asking) => {
    const [whole, ask] = [parts.identify.bind(parts), parts._identify.bind(parts)]
    const said = new WeakMap<Connection, Said>()
    parts._identify = async (connection, options = {}) => {
      const known = said.get(connection)
      if (known !== undefined) return known
      let began = () => false
      const newStream: Connection['newStream'] = async (...wanted) => {
        const stream = await connection.newStream(...wanted)
        began = hears(stream)
        return stream
      }
      try {
        const message = await ask({ remoteAddr: connection.remoteAddr, newStream } as Connection, options)
        said.set(connection, message)
        return message
      } catch (error) {
        throw options.signal?.aborted ? error : await reasonOf(error as Error, began(), connection)
      }
    }
    const take: Asking['identify'] = async (connection, options) => {
      try {
        return await whole(connection, options)
      } catch (error) {
        const message = said.get(connection)
        if (message === undefined || !isOfAddress(error as Error)) throw error
        // all of its other addresses are in it without a signature as well
        said.set(connection, { ...message, observedAddr: undefined, signedPeerRecord: undefined })
        return await whole(connection, options)
      } finally {
        said.delete(connection)
      }
    }
    parts.identify = async (connection, options) => {
      try {
        return await take(connection, options)
      } catch (error) {
        failed(connection, error as Error)
        throw error
      }
    }
  })
}

/**
 * The push of what this node says of itself, whose timer ends with it, and which tells of each peer that pushes what is none.
 *
 * @param ask - asks a peer whose push has addresses that are no such here
 */
export function watchedPush<C, T>(make: Make<C, T>, failed: Unidentified, ask: (connection: Connection) => Promise<unknown>): Make<C, T> {
  return changed(make, (parts: Pushing) => {
    const [stop, handle] = [parts.stop.bind(parts), parts.handleProtocol.bind(parts)]
    parts.handleProtocol = async (stream, connection) => {
      const began = hears(stream)
      try {
        await handle(stream, connection)
      } catch (error) {
        if (isOfAddress(error as Error)) await ask(connection)
        else failed(connection, await reasonOf(error as Error, began(), connection))
        throw error
      }
    }
    parts.stop = async () => {
      await stop()
      // addresses go away with the listeners, after this
      parts.push = async () => {}
      parts._push.stop()
    }
  })
}

/** Whether anything has come over a stream, which is told without reading of it. */
function hears(stream: Stream): () => boolean {
  let hasHeard = false
  hear(stream, ({ length }) => {
    hasHeard ||= length > 0
  })
  return () => hasHeard
}

/** Why a message was not read: what the library says, or that its peer has sent a part alone, and is still there. */
async function reasonOf(error: Error, began: boolean, connection: Connection): Promise<Error> {
  if (!began || (error.name !== 'TimeoutError' && error.name !== 'UnexpectedEOFError')) return error
  return (await stays(connection)) ? new InvalidHalfError() : error
}
