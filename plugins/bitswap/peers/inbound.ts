import type { PeerStream } from '../../../core/index.ts'
import { bitswapErrors } from '../errors.ts'
import type { BitswapSettings } from '../settings.ts'
import { frames } from '../wire/frames.ts'
import type { BitswapPeer } from './peer.ts'

/** A message of which so much has come tells that the peer is sending blocks, in bytes. */
const LONG = 64 * 1024

/** The message of a stream that is not whole yet. */
interface Part {
  readonly peer: BitswapPeer
  bytes: number
  /** Ends the stream, as others have no room for theirs. */
  refuse(): void
}

/**
 * Reads the messages that peers send, within what all of them together may hold. Where that is full, those that were begun first make room: whoever
 * goes on with messages octet by octet keeps nobody else from sending.
 */
export class Inbound {
  readonly #settings: BitswapSettings
  /** Bytes of messages that are not whole yet. */
  #partial = 0
  /** Those that hold anything; those that were begun first come first. */
  readonly #parts = new Set<Part>()

  constructor(settings: BitswapSettings) {
    this.#settings = settings
  }

  /**
   * Each message of a stream. The next is not read before the one before was dealt with.
   *
   * @throws E_BITSWAP_MESSAGE, E_BITSWAP_PARTIAL, E_BITSWAP_STALLED, and what the stream throws
   */
  async *messages(stream: PeerStream, peer: BitswapPeer): AsyncGenerator<Uint8Array> {
    const { messageTimeout, maxPartial } = this.#settings
    let stalled: Error | undefined
    let timer: NodeJS.Timeout | undefined
    const end = (why: Error) => {
      stalled = why
      stream.abort(why)
    }
    const stall = () => end(bitswapErrors.E_BITSWAP_STALLED(messageTimeout))
    const part: Part = { peer, bytes: 0, refuse: () => end(bitswapErrors.E_BITSWAP_PARTIAL(maxPartial)) }
    const held = {
      take: (bytes: number) => {
        if (peer.partial + bytes > maxPartial / 4) throw bitswapErrors.E_BITSWAP_PARTIAL(maxPartial)
        for (const first of this.#parts) {
          if (this.#partial + bytes <= maxPartial) break
          if (first.peer === peer) continue
          this.#give(first)
          first.refuse()
        }
        this.#parts.add(part)
        part.bytes += bytes
        this.#partial += bytes
        peer.partial += bytes
        if (bytes >= LONG) peer.asks.lastHeard = performance.now()
      },
      give: () => this.#give(part)
    }
    const onPart = (isPartial: boolean) => {
      clearTimeout(timer)
      if (isPartial) timer = setTimeout(stall, messageTimeout)
    }
    try {
      yield* frames(stream, held, onPart)
    } catch (error) {
      throw stalled ?? error
    } finally {
      clearTimeout(timer)
    }
  }

  #give(part: Part): void {
    this.#parts.delete(part)
    this.#partial -= part.bytes
    part.peer.partial -= part.bytes
    part.bytes = 0
  }
}
