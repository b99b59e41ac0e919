import { bitswapErrors } from '../errors.ts'
import { MOST_BYTES } from './message.ts'

/** Room that a message is given at first: what it declares is not believed. */
const FIRST_ROOM = 64 * 1024

/** How much room there is then for what has come: a message of a megabyte is moved once, and what nothing came into takes no memory yet. */
const GROWTH = 8

/** Counts what is held of messages that are not whole yet. */
interface Holding {
  /** @throws where there is no room for so many bytes more */
  take(bytes: number): void
  /** The message is whole, or given up. */
  give(): void
}

/**
 * The messages of a stream, each with its length before it as a varint. What is held of one grows with what has come of it.
 *
 * @param onPart - called for every piece that comes, with whether a message is not whole after it
 * @throws E_BITSWAP_MESSAGE and what `held` throws
 */
export async function* frames(
  source: AsyncIterable<Uint8Array>,
  held: Holding,
  onPart: (isPartial: boolean) => void
): AsyncGenerator<Uint8Array> {
  let length = 0
  let scale = 1
  let room: Uint8Array<ArrayBuffer> | undefined
  let filled = 0
  let declared = -1
  try {
    for await (const piece of source) {
      let at = 0
      while (at < piece.length) {
        if (declared < 0) {
          const byte = piece[at++]!
          length += (byte & 0x7f) * scale
          scale *= 128
          if (length > MOST_BYTES) throw bitswapErrors.E_BITSWAP_MESSAGE(`a message has more than ${MOST_BYTES} bytes`)
          if (scale > 128 ** 5) throw bitswapErrors.E_BITSWAP_MESSAGE('the length of a message has no end')
          if (byte >= 0x80) continue
          declared = length
          length = 0
          scale = 1
        }
        const part = piece.subarray(at, at + declared - filled)
        if (room === undefined || room.length < filled + part.length) {
          const size = Math.min(declared, Math.max(filled + part.length, FIRST_ROOM, GROWTH * filled))
          held.take(size - (room?.length ?? 0))
          const grown: Uint8Array<ArrayBuffer> = Buffer.allocUnsafeSlow(size)
          if (room !== undefined) grown.set(room.subarray(0, filled))
          room = grown
        }
        room.set(part, filled)
        filled += part.length
        at += part.length
        if (filled < declared) continue
        onPart(false)
        held.give()
        const whole = new Uint8Array(room.buffer, room.byteOffset, declared)
        room = undefined
        filled = 0
        declared = -1
        yield whole
      }
      onPart(declared >= 0 || scale > 1)
    }
    if (declared >= 0 || scale > 1) throw bitswapErrors.E_BITSWAP_MESSAGE('the stream ends in the middle of a message')
  } finally {
    if (room !== undefined) held.give()
  }
}
