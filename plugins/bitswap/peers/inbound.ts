import type { PeerStream } from '../../../core/index.ts'
import { bitswapErrors } from '../errors.ts'
import type { BitswapSettings } from '../settings.ts'
import { frames } from '../wire/frames.ts'
import type { BitswapPeer } from './peer.ts'

/** A message of which so much has come tells that the peer is sending blocks, in bytes. */
const LONG = 64 * 1024

/** Reads the messages that peers send, within what all of them together may hold. */
export class Inbound {
  readonly #settings: BitswapSettings
  /** Bytes of messages that are not whole yet. */
  #partial = 0

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
    const stall = () => {
      stalled = bitswapErrors.E_BITSWAP_STALLED(messageTimeout)
      stream.abort(stalled)
    }
    const held = {
      take: (bytes: number) => {
        if (this.#partial + bytes > maxPartial || peer.partial + bytes > maxPartial / 4) throw bitswapErrors.E_BITSWAP_PARTIAL(maxPartial)
        this.#partial += bytes
        peer.partial += bytes
        if (bytes >= LONG) peer.asks.lastHeard = performance.now()
      },
      give: (bytes: number) => {
        this.#partial -= bytes
        peer.partial -= bytes
      }
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
}
