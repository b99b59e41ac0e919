const WIDTH = 16

/** Bytes as `hexdump -C` shows them, without the last line (Go, encoding/hex). */
export function hexdump(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += WIDTH) {
    const row = bytes.subarray(at, at + WIDTH)
    const halves = [row.subarray(0, 8), row.subarray(8)].map(half => [...half].map(hex).join(' ').padEnd(23))
    const text = [...row].map(byte => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${at.toString(16).padStart(8, '0')}  ${halves.join('  ')}  |${text}|\n`)
  }
  return lines.join('')
}

const hex = (byte: number) => byte.toString(16).padStart(2, '0')
