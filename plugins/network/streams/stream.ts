import type { Stream, StreamCloseEvent, StreamMessageEvent } from '@libp2p/interface'
import { Uint8ArrayList } from 'uint8arraylist'
import { messageOf, type NetworkOptions, networkErrors, type PeerStream } from '../../../core/index.ts'
import { bounded } from '../../../core/timing.ts'
import { countHeld } from '../limits/memory.ts'
import { hasEnded } from './put-back.ts'

/** Octets that were received and not read, beyond which the other side is asked to wait. */
const UNREAD = 256 * 1024

/** How long the end of a stream waits for a peer that does not read, in milliseconds. */
const END_TIMEOUT = 30_000

/** A stream of libp2p as octets both ways, at the pace of whoever reads. */
export class Libp2pStream implements PeerStream {
  readonly protocol: string
  readonly peer: string
  readonly #stream: Stream
  readonly #unread: Uint8Array[] = []
  #length = 0
  #resuming = false
  #ended: boolean
  /** Whether the peer said that it has written all: what merely stops may be a part. */
  #isWhole: boolean
  #failure: Error | undefined
  #wake = () => {}

  constructor(stream: Stream, peer: string) {
    this.protocol = stream.protocol
    this.peer = peer
    this.#stream = stream
    countHeld(stream, () => [this.#length, this.#unread.length])
    this.#ended = hasEnded(stream)
    this.#isWhole = stream.status === 'open' && stream.remoteWriteStatus === 'closed'
    stream.addEventListener('message', ({ data }: StreamMessageEvent) => {
      for (const part of data instanceof Uint8Array ? [data] : data) this.#unread.push(part)
      this.#length += data.byteLength
      this.#ended ||= hasEnded(stream)
      if (!this.#resuming) this.#pauseWhenFull()
      this.#wake()
    })
    stream.addEventListener('remoteCloseWrite', () => {
      this.#isWhole = true
    })
    stream.addEventListener('end', () => {
      this.#ended = true
      this.#wake()
    })
    stream.addEventListener('close', ({ error }: StreamCloseEvent) => {
      this.#ended = true
      this.#failure = error
      this.#wake()
    })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (true) {
      const next = this.#unread.shift()
      if (next !== undefined) {
        this.#length -= next.length
        if (this.#length <= UNREAD / 2 && this.#stream.readStatus === 'paused') this.#resume()
        yield next
      } else if (this.#ended) {
        if (this.#failure !== undefined) throw this.#broken(this.#failure)
        if (!this.#isWhole) throw this.#broken(new Error('the connection ended before it did'))
        return
      } else {
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
      }
    }
  }

  async write(bytes: Uint8Array | readonly Uint8Array[], { signal }: NetworkOptions = {}): Promise<void> {
    await this.#drained(signal)
    try {
      this.#stream.send(bytes instanceof Uint8Array ? bytes : new Uint8ArrayList(...bytes))
    } catch (error) {
      throw this.#broken(error)
    }
    await this.#drained(signal)
  }

  async end({ signal }: NetworkOptions = {}): Promise<void> {
    const late = () => networkErrors.E_STREAM(this.peer, this.protocol, 'the peer does not read what is left')
    try {
      await bounded(END_TIMEOUT, signal, late, inner => this.#stream.close({ signal: inner }))
    } catch (error) {
      this.abort(error instanceof Error ? error : undefined)
      throw this.#broken(error)
    }
  }

  abort(error: Error = networkErrors.E_STREAM(this.peer, this.protocol, 'it was given up')): void {
    this.#stream.abort(error)
  }

  #pauseWhenFull(): void {
    if (this.#length > UNREAD && this.#stream.readStatus === 'readable') this.#stream.pause()
  }

  /** Takes what waits. A pause while the library resumes would be undone at its end: then the peer sends on without end, and the library gives up. */
  #resume(): void {
    this.#resuming = true
    this.#stream.resume()
    this.#resuming = false
    this.#pauseWhenFull()
  }

  /** Reads no more; what is still to come is thrown away. */
  async leave(): Promise<void> {
    if (this.#stream.remoteWriteStatus !== 'closed') await this.#stream.closeRead().catch(() => {})
  }

  /** Waits for as long as the stream takes nothing. Its own `onDrain` answers the second time with what came the first. */
  async #drained(signal: AbortSignal | undefined): Promise<void> {
    while (this.#stream.writableNeedsDrain && this.#stream.writeStatus === 'writable') await this.#change(signal)
    if (this.#stream.writeStatus !== 'writable') throw this.#broken(this.#failure ?? new Error(`it is ${this.#stream.status} for writing`))
  }

  async #change(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const over = (settle: () => void) => () => {
        this.#stream.removeEventListener('drain', on)
        this.#stream.removeEventListener('close', on)
        signal?.removeEventListener('abort', off)
        settle()
      }
      const on = over(resolve)
      const off = over(() => reject(signal?.reason))
      this.#stream.addEventListener('drain', on)
      this.#stream.addEventListener('close', on)
      signal?.addEventListener('abort', off)
    })
  }

  #broken(error: unknown) {
    return networkErrors.E_STREAM(this.peer, this.protocol, messageOf(error))
  }
}
