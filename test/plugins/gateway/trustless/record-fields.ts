import { ProtobufReader } from '../../../../core/dag/protobuf.ts'

/** A protobuf message with its fields of bytes changed; undefined leaves one out. */
export function withFields(message: Uint8Array, change: (field: number, bytes: Uint8Array) => Uint8Array | undefined): Uint8Array {
  const parts: Uint8Array[] = []
  const reader = new ProtobufReader(message)
  while (reader.at < reader.end) {
    const start = reader.at
    const tag = reader.tag()
    if ((tag & 7) !== 2) {
      reader.number()
      parts.push(message.subarray(start, reader.at))
      continue
    }
    const end = reader.delimited()
    const bytes = change(tag >> 3, message.slice(reader.at, end))
    reader.at = end
    if (bytes !== undefined)
      parts.push(Uint8Array.from([tag, ...(bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7])]), bytes)
  }
  return Buffer.concat(parts)
}
