const WIDTH = 16

/** Bytes for people, as Go's `hex.Dump` writes them: offset, 16 bytes in hexadecimal, and the printable characters of ASCII among them. */
export function* hexDump(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += WIDTH) {
    const row = bytes.subarray(at, at + WIDTH)
    const cells = Array.from({ length: WIDTH }, (_, i) => (i < row.length ? row[i]!.toString(16).padStart(2, '0') : '  '))
    const halves = `${cells.slice(0, 8).join(' ')}  ${cells.slice(8).join(' ')}`
    const characters = Array.from(row, byte => (byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : '.')).join('')
    yield Buffer.from(`${at.toString(16).padStart(8, '0')}  ${halves}  |${characters}|\n`)
  }
}
