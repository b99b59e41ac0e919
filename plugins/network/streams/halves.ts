import type { StreamHandler } from '@libp2p/interface'
import type { Registrar } from '@libp2p/interface-internal'
import { type Refusals, varintAt } from '../../../core/network/index.ts'
import { hear, stays } from './heard.ts'
import { PING, SIZE } from './ping.ts'

/** Protocols of the libraries whose first message comes behind its length; the node's own see to theirs. */
const FRAMED: ReadonlySet<string> = new Set([
  '/libp2p/autonat/1.0.0',
  '/libp2p/autonat/2/dial-back',
  '/libp2p/autonat/2/dial-request',
  '/libp2p/circuit/relay/0.2.0/hop',
  '/libp2p/circuit/relay/0.2.0/stop',
  '/libp2p/dcutr'
])

/** Whether the octets that came end within a message. */
interface Message {
  readonly isPartial: boolean
  take(bytes: Uint8Array): void
}

/** The first message behind its length; what comes after it is not looked at. */
class FirstFrame implements Message {
  #length = new Uint8Array()
  /** Of the message, in octets; undefined while its length is read. */
  #left: number | undefined
  isPartial = false

  take(bytes: Uint8Array): void {
    if (this.#left === undefined) {
      this.#length = Buffer.concat([this.#length, bytes])
      this.isPartial = true
      const found = lengthOf(this.#length)
      if (found === undefined) return
      this.#left = found[0] - (this.#length.length - found[1])
      this.#length = new Uint8Array()
    } else this.#left -= bytes.length
    this.isPartial = this.#left > 0
  }
}

class Pings implements Message {
  #count = 0

  get isPartial(): boolean {
    return this.#count > 0
  }

  take(bytes: Uint8Array): void {
    this.#count = (this.#count + bytes.length) % SIZE
  }
}

/** undefined for one that is not whole, or has no end: the library ends the stream of either. */
function lengthOf(bytes: Uint8Array): readonly [value: number, end: number] | undefined {
  try {
    return varintAt(bytes, 0, why => new Error(why))
  } catch {
    return undefined
  }
}

/** Tells in the log of peers that begin a message of a protocol that a library serves, and send no more of it. */
export function watchHalves(registrar: Pick<Registrar, 'handle'>, refusals: Refusals): void {
  const handle = registrar.handle.bind(registrar)
  registrar.handle = async (protocol, handler, options) => {
    const isWatched = protocol === PING || FRAMED.has(protocol)
    await handle(protocol, isWatched ? watched(protocol, handler, refusals) : handler, options)
  }
}

function watched(protocol: string, handler: StreamHandler, refusals: Refusals): StreamHandler {
  return (stream, connection) => {
    const message = protocol === PING ? new Pings() : new FirstFrame()
    hear(stream, bytes => message.take(bytes))
    stream.addEventListener('close', async ({ error }) => {
      // a peer that has torn it says that there is no more
      if (!message.isPartial || error?.name === 'StreamResetError' || !(await stays(connection))) return
      refusals.tell(`a stream of ${protocol} of the peer ${connection.remotePeer}`, 'it began a message, and the rest did not come')
    })
    return handler(stream, connection)
  }
}
