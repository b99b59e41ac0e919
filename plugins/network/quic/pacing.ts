import { setTimeout as delay } from 'node:timers/promises'
import type { Stream, StreamMuxer, StreamMuxerFactory } from '@libp2p/interface'
import type { SendResult } from '@libp2p/utils'
import { Uint8ArrayList } from 'uint8arraylist'
import { messageOf } from '../../../core/index.ts'
import { type ConnectionMemory, type StreamMemory, unreadOf } from '../limits/memory.ts'
import { takesBack } from '../streams/put-back.ts'

/** Octets that one read takes at most, and that may lie unread before no more are read: what is beyond waits at the peer. */
const [AT_ONCE, MOST_UNREAD] = [64 * 1024, 1024 * 1024]

/** How often it is looked again whether what lies unread was used, in milliseconds. */
const AGAIN = 50

/** Octets that are not copied to be written at once. */
const MUCH = 32 * 1024

/** An octet that is never sent, and the error that it meets where the peer has cancelled reading (quinn 0.11, `WriteError::Stopped`). */
const [PROBE, STOPPED] = [new Uint8Array(1), /^sending stopped by peer/]

/** The options of an upgrade that say how its streams are made. */
export interface Pacing {
  readonly muxerFactory: StreamMuxerFactory
}

/** A stream of the library's binary, as far as its wrapper uses it. */
export interface NativeStream {
  id(): string
  /** The next octets, at most so many; null at the end. */
  read(most: number): Promise<Uint8Array | null>
  write(bytes: Uint8Array): Promise<void>
  finishWrite(): Promise<void>
  resetWrite(): Promise<void>
  stopRead(): Promise<void>
}

/** The library's stream, which takes a part of what it is given and asks for the rest later, as `@libp2p/utils` has it. */
interface SendingStream {
  sendData(data: Uint8ArrayList): SendResult
}

/** The library's muxer, with the connection of the binary below it and what it does with a stream that a peer opens. */
interface QuicMuxer extends StreamMuxer {
  readonly init: { readonly connection: { outboundStream(): Promise<NativeStream> } }
  onInboundStream(stream: NativeStream): void
}

/** Muxers of QUIC whose streams are read only as fast as they are used. The library reads on while nobody does, and tears the stream at 4 MiB. */
export function pacedMuxers(factory: StreamMuxerFactory, memory?: StreamMemory): StreamMuxerFactory {
  return {
    protocol: factory.protocol,
    createStreamMuxer(connection) {
      const muxer = factory.createStreamMuxer(connection) as QuicMuxer
      keepPace(muxer, memory?.connection(muxer))
      return muxer
    }
  }
}

function keepPace(muxer: QuicMuxer, memory: ConnectionMemory | undefined): void {
  const made = new Map<string, PacedStream>()
  const pace = (stream: NativeStream) => {
    const paced = new PacedStream(stream, memory)
    made.set(stream.id(), paced)
    return paced
  }
  const follow = (stream: Stream) => {
    takesBack(stream)
    sendsUncopied(stream as unknown as SendingStream)
    made.get(stream.id)?.follow(stream)
    made.delete(stream.id)
    stream.addEventListener('close', () => memory?.end(stream), { once: true })
  }
  const { createStream, onInboundStream } = muxer
  const { connection } = muxer.init
  const { outboundStream } = connection
  connection.outboundStream = async () => pace(await outboundStream.call(connection))
  muxer.onInboundStream = stream => onInboundStream.call(muxer, pace(stream))
  muxer.createStream = async options => {
    const stream = await createStream.call(muxer, options)
    follow(stream)
    return stream
  }
  muxer.addEventListener('stream', ({ detail }) => follow(detail))
}

/** Writes much that was given in parts part by part: the library would copy them into one, and the copy of a block is garbage once it is sent. */
function sendsUncopied(stream: SendingStream): void {
  const { sendData } = stream
  stream.sendData = data => {
    // With an empty part nothing would be sent, and the library would ask for ever.
    const first = data.byteLength < MUCH ? undefined : [...data].find(part => part.byteLength > 0)
    return sendData.call(stream, first === undefined ? data : new Uint8ArrayList(first))
  }
}

/** A stream of the binary that is read while what was read before is used. */
export class PacedStream implements NativeStream {
  readonly #inner: NativeStream
  readonly #memory: ConnectionMemory | undefined
  #stream: Pick<Stream, 'readBufferLength' | 'protocol'> | undefined
  /** Whether the peer cancelled reading before the protocol was agreed on. */
  #isUnread = false

  /** @param memory - of the connection: while too much of it lies unread, no stream of which some does is read on */
  constructor(inner: NativeStream, memory?: ConnectionMemory) {
    this.#inner = inner
    this.#memory = memory
  }

  /** Sets the stream that the octets belong to: it tells how many lie unread. */
  follow(stream: Pick<Stream, 'readBufferLength' | 'protocol'>): void {
    this.#stream = stream
  }

  async read(most: number): Promise<Uint8Array | null> {
    while (this.#isFull()) await delay(AGAIN, undefined, { ref: false })
    return this.#inner.read(Math.max(most, AT_ONCE))
  }

  #isFull(): boolean {
    const stream = this.#stream
    if (stream === undefined) return false
    return stream.readBufferLength > MOST_UNREAD || (this.#memory?.count(stream) === false && unreadOf(stream) > 0)
  }

  /**
   * Ends what is written. Where the peer had cancelled reading before, nothing can be ended, and a reset is due (RFC 9000, 3.5): without one the stream
   * counts among those that the peer may have open until JavaScript collects its wrapper, and after some 256 the connection stands still.
   */
  async finishWrite(): Promise<void> {
    await this.#inner.finishWrite()
    void this.#isStopped().then(isStopped => (isStopped ? this.#inner.resetWrite() : undefined))
  }

  /** Whether the peer had cancelled reading. The binding keeps that to itself; a write after the end fails for it, or as it comes after the end. */
  async #isStopped(): Promise<boolean> {
    try {
      await this.#inner.write(PROBE)
      return false
    } catch (error) {
      return STOPPED.test(messageOf(error))
    }
  }

  /**
   * Writes. A peer that sends a message and waits for no answer cancels reading at once: the lines by which its protocol is agreed on are then read by
   * nobody, and are left out. The library would tear the stream, and what the peer has sent with it.
   */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#inner.write(bytes)
    } catch (error) {
      const isNegotiating = this.#stream?.protocol === ''
      if (!isNegotiating || !(this.#isUnread || STOPPED.test(messageOf(error)))) throw error
      this.#isUnread = true
      await this.#inner.resetWrite()
    }
  }

  id = () => this.#inner.id()
  resetWrite = () => this.#inner.resetWrite()
  stopRead = () => this.#inner.stopRead()
}
