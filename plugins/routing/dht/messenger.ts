import { setImmediate as immediate } from 'node:timers/promises'
import { type Network, networkErrors, type PeerStream } from '../../../core/index.ts'
import type { Libraries } from '../libraries.ts'
import type { RoutingSettings } from '../settings.ts'
import { MESSAGE, type Message, Pieces, readMessage, writeMessage } from './message.ts'
import { frames, writeFrame } from './wire.ts'

/** The longest answer that is read, in bytes, and the providers that are taken of one. */
export const [MOST_ANSWER, MOST_PROVIDERS] = [4 * 1024 * 1024, 1000]

/** How long a stream is kept for the next request, in milliseconds: js-libp2p ends one that is silent for 10 s, Kubo after a minute. */
export const KEPT = 5_000

/** Streams that are kept, to one peer and in all. */
export const [MOST_OF_PEER, MOST_KEPT] = [8, 256]

interface MessengerParts {
  readonly network: Pick<Network, 'open' | 'connections'>
  readonly protocol: string
  readonly libraries: Libraries
  readonly settings: Pick<RoutingSettings, 'requestTimeout'>
  /** Connects with a peer. */
  dial(peer: string, signal: AbortSignal): Promise<void>
}

/** Messages without an answer that are told again where a stream is lost: those that were written last. */
const MOST_TOLD = 32

/** A stream to a peer. The next answer is always awaited, so that a stream that ends while it is kept is known to have. */
interface Talk {
  readonly peer: string
  readonly stream: PeerStream
  readonly answers: AsyncIterator<Uint8Array>
  next: Promise<IteratorResult<Uint8Array>>
  /** Messages without an answer that were written while it was kept: lost, where the peer had ended it by then. */
  told: Message[]
  /** Undefined until it was kept for the first time. */
  timer?: NodeJS.Timeout
}

/**
 * Requests to peers of one DHT. A stream is kept for the next request, as the reference does (go-libp2p-kad-dht, internal/net): to open one takes both
 * sides as long as several requests do.
 */
export class Messenger {
  readonly #parts: MessengerParts
  readonly #kept = new Map<string, Set<Talk>>()
  readonly #running = new Set<AbortController>()
  readonly #pieces = new Pieces()
  #count = 0
  #isStopped = false

  constructor(parts: MessengerParts) {
    this.#parts = parts
  }

  /**
   * Sends a request and waits for its answer; undefined for one that has none, as soon as it is written.
   *
   * @throws E_STREAM, E_DHT_MESSAGE, E_NETWORK_STOPPED, the reason of `signal`, and what `dial` throws
   */
  async send(peer: string, request: Message, signal: AbortSignal): Promise<Message | undefined> {
    signal.throwIfAborted()
    return this.#inTime(peer, signal, async inner => {
      const kept = this.#take(peer)
      if (kept !== undefined) {
        try {
          return await this.#exchange(kept, request, inner)
        } catch {
          // the peer may have ended it just now
          inner.throwIfAborted()
          this.#tellAgain(kept)
        }
      }
      return await this.#exchange(await this.#open(peer, inner), request, inner)
    })
  }

  /**
   * Writes messages that have no answer to one stream, and a request behind them: its answer says that they were all read, as requests of a stream are
   * dealt with in turn. A new stream, as what one that was kept loses would not be known. Each piece has the time of a request.
   *
   * @throws what `send` does
   */
  async tellAll(
    peer: string,
    pieces: (take: () => Uint8Array) => Iterable<Uint8Array>,
    behind: Message,
    signal: AbortSignal
  ): Promise<void> {
    const used: Uint8Array[] = []
    const talk = await this.#inTime(peer, signal, inner => this.#open(peer, inner))
    try {
      for (const piece of pieces(() => this.#pieces.take(used))) {
        await this.#inTime(peer, signal, inner => talk.stream.write(piece, { signal: inner }))
        await immediate()
      }
      await this.#inTime(peer, signal, inner => this.#exchange(talk, behind, inner))
      // what the peer has read is no longer needed by anything below
      this.#pieces.giveBack(used)
    } catch (error) {
      talk.stream.abort(error as Error)
      throw error
    }
  }

  /** Ends all streams that are kept, and those on which an answer is awaited. */
  stop(): void {
    this.#isStopped = true
    for (const over of this.#running) over.abort(networkErrors.E_NETWORK_STOPPED())
    for (const talks of [...this.#kept.values()]) for (const talk of [...talks]) this.#drop(talk)
  }

  async #inTime<T>(peer: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#isStopped) throw networkErrors.E_NETWORK_STOPPED()
    signal?.throwIfAborted()
    const over = new AbortController()
    this.#running.add(over)
    const leave = () => over.abort(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    const timer = setTimeout(() => over.abort(this.#broken(peer, 'no answer came in time')), this.#parts.settings.requestTimeout)
    try {
      return await work(over.signal)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      this.#running.delete(over)
    }
  }

  /** Tells once more what a peer may not have read before it ended the stream. */
  #tellAgain({ peer, told }: Talk): void {
    const { network, libraries } = this.#parts
    if (told.length === 0 || this.#isStopped || network.connections(peer).length === 0) return
    const telling = this.#inTime(peer, undefined, async signal => {
      const talk = await this.#open(peer, signal)
      try {
        for (const message of told) await writeFrame(talk.stream, writeMessage(message, libraries), signal)
      } finally {
        end(talk)
      }
    })
    // one that is gone, or does not want it, is told with the next pass
    telling.catch(() => {})
  }

  async #exchange(talk: Talk, request: Message, signal: AbortSignal): Promise<Message | undefined> {
    const { stream, answers } = talk
    const { libraries } = this.#parts
    const abort = () => stream.abort(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    try {
      signal.throwIfAborted()
      await writeFrame(stream, writeMessage(request, libraries), signal)
      if (request.type === MESSAGE.ADD_PROVIDER) {
        if (talk.timer !== undefined) talk.told = [...talk.told, request].slice(-MOST_TOLD)
        this.#keep(talk)
        return undefined
      }
      const { done, value } = await talk.next
      if (done === true) throw this.#broken(talk.peer, 'it ended before the answer')
      const answer = readMessage(value, libraries, MOST_PROVIDERS)
      // the reference leaves the key out where peers are asked for
      const isOther = answer.type !== request.type || (answer.key.length > 0 && Buffer.compare(answer.key, request.key) !== 0)
      if (isOther) throw this.#broken(talk.peer, 'the answer is to another request')
      talk.next = awaited(answers)
      // requests of a stream are dealt with in turn
      talk.told = []
      this.#keep(talk)
      return answer
    } catch (error) {
      stream.abort(error as Error)
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async #open(peer: string, signal: AbortSignal): Promise<Talk> {
    const { network, protocol, dial } = this.#parts
    const connections = network.connections(peer)
    if (connections.length === 0) await dial(peer, signal)
    else if (connections.every(({ limited }) => limited)) throw this.#broken(peer, 'a relay allows too little for it')
    const stream = await network.open(peer, [protocol], { signal })
    const answers = frames(stream, MOST_ANSWER)[Symbol.asyncIterator]()
    return { peer, stream, answers, next: awaited(answers), told: [] }
  }

  #broken(peer: string, why: string): Error {
    return networkErrors.E_STREAM(peer, this.#parts.protocol, why)
  }

  #take(peer: string): Talk | undefined {
    for (const talk of this.#kept.get(peer) ?? []) {
      this.#forget(talk)
      return talk
    }
    return undefined
  }

  #keep(talk: Talk): void {
    const talks = this.#kept.get(talk.peer) ?? new Set()
    if (talks.size >= MOST_OF_PEER || this.#count >= MOST_KEPT || this.#isStopped) {
      end(talk)
      return
    }
    talks.add(talk)
    this.#kept.set(talk.peer, talks)
    this.#count++
    talk.timer = setTimeout(() => this.#drop(talk), KEPT).unref()
    const { next } = talk
    // an answer that nobody asked for ends it as well
    const isOver = () => {
      if (talk.next !== next || !talks.has(talk)) return
      this.#drop(talk)
      this.#tellAgain(talk)
    }
    next.then(isOver, isOver)
  }

  #forget(talk: Talk): void {
    clearTimeout(talk.timer)
    const talks = this.#kept.get(talk.peer)
    if (talks?.delete(talk) !== true) return
    this.#count--
    if (talks.size === 0) this.#kept.delete(talk.peer)
  }

  #drop(talk: Talk): void {
    this.#forget(talk)
    end(talk)
  }
}

function awaited(answers: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  const next = answers.next()
  // it is looked at when it is used
  next.catch(() => {})
  return next
}

/** Ends a stream in good order: what was written last may be on its way. */
function end({ stream }: Talk): void {
  stream.end().then(
    () => setTimeout(() => stream.abort(), KEPT).unref(),
    () => {}
  )
}
