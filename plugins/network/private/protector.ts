import { randomBytes } from 'node:crypto'
import type { AbortOptions, ConnectionProtector, MessageStream, StreamCloseEvent, StreamMessageEvent } from '@libp2p/interface'
import { AbstractMessageStream } from '@libp2p/utils'
import type { NetworkKey } from './key.ts'
import { type Salsa20, xsalsa20 } from './salsa20.ts'

/** Octets of the nonce that each side sends first (libp2p specs, pnet). */
const NONCE = 24

type Octets = StreamMessageEvent['data']

/** Makes what goes over a connection unreadable for all who do not have the key, before anything else is said. */
export function protectorOf({ bytes: key }: NetworkKey): ConnectionProtector {
  return {
    async protect(connection: MessageStream, { signal }: AbortOptions = {}) {
      const nonce = randomBytes(NONCE)
      const theirs = firstOctets(connection, signal)
      connection.send(nonce)
      return new SealedConnection(connection, xsalsa20(key, nonce), xsalsa20(key, await theirs))
    }
  }
}

/** The nonce of the other side; what comes behind it stays in the connection. */
function firstOctets(connection: MessageStream, signal: AbortSignal | undefined): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = []
    let length = 0
    const over = () => {
      connection.removeEventListener('message', onMessage)
      connection.removeEventListener('close', onClose)
      signal?.removeEventListener('abort', onAbort)
    }
    const onMessage = ({ data }: StreamMessageEvent) => {
      const bytes = data.subarray()
      parts.push(bytes)
      length += bytes.length
      if (length < NONCE) return
      over()
      const all = Buffer.concat(parts)
      if (length > NONCE) connection.unshift(all.subarray(NONCE))
      resolve(all.subarray(0, NONCE))
    }
    const onClose = ({ error }: StreamCloseEvent) => {
      over()
      reject(error ?? new Error('the connection closed before the private network was agreed on'))
    }
    const onAbort = () => {
      over()
      reject(signal?.reason)
    }
    connection.addEventListener('message', onMessage)
    connection.addEventListener('close', onClose)
    signal?.addEventListener('abort', onAbort)
  })
}

/** A connection whose octets are laid over with those of two key streams. */
class SealedConnection extends AbstractMessageStream {
  readonly #connection: MessageStream
  readonly #outward: Salsa20

  constructor(connection: MessageStream, outward: Salsa20, inward: Salsa20) {
    const { log, inactivityTimeout, maxReadBufferLength, direction } = connection
    super({ log, inactivityTimeout, maxReadBufferLength, direction })
    this.#connection = connection
    this.#outward = outward
    connection.addEventListener('message', ({ data }: StreamMessageEvent) => {
      for (const part of partsOf(data)) this.onData(inward.apply(part))
    })
    connection.addEventListener('close', ({ error, local }: StreamCloseEvent) => {
      if (error === undefined) this.onTransportClosed()
      else if (local) this.abort(error)
      else this.onRemoteReset()
    })
    connection.addEventListener('drain', () => this.safeDispatchEvent('drain'))
    connection.addEventListener('remoteCloseWrite', () => this.onRemoteCloseWrite())
  }

  async close(options?: AbortOptions): Promise<void> {
    await this.#connection.close(options)
  }

  sendData(data: Parameters<AbstractMessageStream['sendData']>[0]): ReturnType<AbstractMessageStream['sendData']> {
    let canSendMore = true
    for (const part of data) canSendMore = this.#connection.send(this.#outward.apply(part))
    return { sentBytes: data.byteLength, canSendMore }
  }

  sendReset(error: Error): void {
    this.#connection.abort(error)
  }

  sendPause(): void {
    this.#connection.pause()
  }

  sendResume(): void {
    this.#connection.resume()
  }
}

const partsOf = (data: Octets): Iterable<Uint8Array> => (data instanceof Uint8Array ? [data] : data)
