/** A protobuf message with its fields of bytes changed; undefined leaves one out. */
export function withFields(message: Uint8Array, change: (field: number, bytes: Uint8Array) => Uint8Array | undefined): Uint8Array {
  const parts: Uint8Array[] = []
  for (let at = 0; at < message.length; ) {
    const start = at
    const number = () => {
      let value = 0
      for (let shift = 1; ; shift *= 128) {
        const byte = message[at++]!
        value += (byte & 127) * shift
        if (byte < 128) return value
      }
    }
    const tag = number()
    const size = number()
    if ((tag & 7) !== 2) {
      parts.push(message.subarray(start, at))
      continue
    }
    const bytes = change(tag >> 3, message.slice(at, at + size))
    at += size
    if (bytes !== undefined)
      parts.push(Uint8Array.from([tag, ...(bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7])]), bytes)
  }
  return Buffer.concat(parts)
}
