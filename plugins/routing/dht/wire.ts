import { type Field, readFields as fieldsOf, frames as framesOf } from '../../../core/network/index.ts'
import { routingPluginErrors } from '../errors.ts'

export { type Field, varint, writeFields, writeFrame } from '../../../core/network/index.ts'

/** @throws E_DHT_MESSAGE */
export function readFields(bytes: Uint8Array): Generator<Field> {
  return fieldsOf(bytes, routingPluginErrors.E_DHT_MESSAGE)
}

/** The messages of a stream. @throws E_DHT_MESSAGE, E_STREAM */
export function frames(stream: AsyncIterable<Uint8Array>, most: number, rests?: (isPartial: boolean) => void): AsyncGenerator<Uint8Array> {
  return framesOf(stream, most, routingPluginErrors.E_DHT_MESSAGE, rests)
}
