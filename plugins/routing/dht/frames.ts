import type { PeerStream } from '../../../core/index.ts'
import { routingPluginErrors } from '../errors.ts'
import { varint, varintAt } from './wire.ts'

/** The messages of a stream, each behind its length. One of more than `most` bytes ends it. @throws E_DHT_MESSAGE, E_STREAM */
export async function* frames(stream: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array = new Uint8Array()
  for await (const part of stream) {
    held = held.length === 0 ? part : Buffer.concat([held, part])
    while (true) {
      const length = varintAt(held, 0)
      if (length === undefined) break
      const [size, start] = length
      if (size > most) throw routingPluginErrors.E_DHT_MESSAGE(`${size} bytes, of which ${most} are taken`)
      if (held.length < start + size) break
      yield held.slice(start, start + size)
      held = held.subarray(start + size)
    }
  }
  if (held.length > 0) throw routingPluginErrors.E_DHT_MESSAGE('the stream ends within it')
}

export function writeFrame(stream: PeerStream, message: Uint8Array, signal: AbortSignal): Promise<void> {
  return stream.write(Buffer.concat([Uint8Array.from(varint(message.length)), message]), { signal })
}
