import type { PeerStream } from '../services/network/network.ts'
import { type Malformed, varint, varintAt } from './fields.ts'

/**
 * The messages of a stream, each behind its length. One of more than `most` bytes ends it, by an error.
 *
 * @param rests - called with what has come, each time: whether a message has begun and is not whole
 * @throws E_STREAM
 */
export async function* frames(
  stream: AsyncIterable<Uint8Array>,
  most: number,
  malformed: Malformed,
  rests: (isPartial: boolean) => void = () => {}
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array()
  // put together once there is enough of them: a peer may send octet by octet
  let parts: Uint8Array[] = []
  let length = 0
  let needed = 1
  for await (const part of stream) {
    parts.push(part)
    length += part.length
    if (length < needed) {
      rests(true)
      continue
    }
    held = parts.length === 1 ? part : Buffer.concat(parts)
    while (true) {
      const frame = varintAt(held, 0, malformed)
      needed = held.length + 1
      if (frame === undefined) break
      const [size, start] = frame
      if (size > most) throw malformed(`${size} bytes, of which ${most} are taken`)
      needed = start + size
      if (held.length < needed) break
      yield held.slice(start, needed)
      held = held.subarray(needed)
    }
    parts = held.length === 0 ? [] : [held]
    length = held.length
    rests(length > 0)
  }
  if (length > 0) throw malformed('the stream ends within it')
}

/** Writes a message behind its length. @throws E_STREAM */
export function writeFrame(stream: PeerStream, message: Uint8Array, signal: AbortSignal): Promise<void> {
  return stream.write(Buffer.concat([varint(message.length), message]), { signal })
}
