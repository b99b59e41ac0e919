import type { PeerStream } from '../../../core/index.ts'
import { routingPluginErrors } from '../errors.ts'
import { varint, varintAt } from './wire.ts'

/** The messages of a stream, each behind its length. One of more than `most` bytes ends it. @throws E_DHT_MESSAGE, E_STREAM */
export async function* frames(stream: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array()
  // put together once there is enough of them: a peer may send octet by octet
  let parts: Uint8Array[] = []
  let length = 0
  let needed = 1
  for await (const part of stream) {
    parts.push(part)
    length += part.length
    if (length < needed) continue
    held = parts.length === 1 ? part : Buffer.concat(parts)
    while (true) {
      const frame = varintAt(held, 0)
      needed = held.length + 1
      if (frame === undefined) break
      const [size, start] = frame
      if (size > most) throw routingPluginErrors.E_DHT_MESSAGE(`${size} bytes, of which ${most} are taken`)
      needed = start + size
      if (held.length < needed) break
      yield held.slice(start, needed)
      held = held.subarray(needed)
    }
    parts = held.length === 0 ? [] : [held]
    length = held.length
  }
  if (length > 0) throw routingPluginErrors.E_DHT_MESSAGE('the stream ends within it')
}

export function writeFrame(stream: PeerStream, message: Uint8Array, signal: AbortSignal): Promise<void> {
  return stream.write(Buffer.concat([varint(message.length), message]), { signal })
}
