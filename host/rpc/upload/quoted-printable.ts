import { trimBlanksEnd } from './blanks.ts'
import { multipartErrors } from './errors.ts'

const LINE_BYTES = 4096

/** Decodes a quoted-printable part as Go's `mime/quotedprintable` does. @throws E_QUOTED_PRINTABLE */
export async function* quotedPrintable(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = ''
  for await (const bytes of source) {
    held += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    const end = held.lastIndexOf('\n') + 1
    if (end > 0) yield decode(held.slice(0, end))
    held = held.slice(end)
    if (held.length > LINE_BYTES) throw multipartErrors.E_QUOTED_PRINTABLE('line too long')
  }
  if (held !== '') yield decode(held)
}

/** An escape ends with its line, even one that goes on in the next. */
function decode(lines: string): Uint8Array {
  const hard = withoutTrailingBlanks(lines)
  const broken = /=(?![0-9a-f]{2}|\r?\n)/i.exec(hard)
  if (broken) throw multipartErrors.E_QUOTED_PRINTABLE(`invalid bytes after =: "${hard.slice(broken.index + 1, broken.index + 3)}"`)
  const text = hard.replace(/=\r?\n/g, '').replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(text, 'latin1')
}

/** The blanks before a line's end, which do not count; behind the last line end a line may go on. */
function withoutTrailingBlanks(lines: string): string {
  const parts = lines.split('\n')
  const last = parts.pop()!
  const trimmed = parts.map(line => (line.endsWith('\r') ? `${trimBlanksEnd(line.slice(0, -1))}\r` : trimBlanksEnd(line)))
  return [...trimmed, last].join('\n')
}
