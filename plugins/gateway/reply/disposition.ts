import { byteString } from '../../../core/go/index.ts'
import { gatewayErrors } from '../errors.ts'

/** Bytes of a name that a URL gives a file. */
export const MOST_FILENAME = 1024

/** The name that the URL gives a file; `''` for none. @throws E_GATEWAY_FILENAME */
export function filenameIn(query: URLSearchParams): string {
  const name = query.get('filename') ?? ''
  if (Buffer.byteLength(name) > MOST_FILENAME) throw gatewayErrors.E_GATEWAY_FILENAME(MOST_FILENAME)
  return name
}

/** Names that stand as they are. */
const PLAIN = /^[\w\-.~$&+:=@]*$/

/** The value of `Content-Disposition` for a file name (Kubo 0.28, boxo gateway: setContentDispositionHeader). */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  if (PLAIN.test(name)) return `${kind}; filename="${name}"; filename*=UTF-8''${name}`
  const bytes = escaped(byteString(name))
  const ascii = name.replace(/\P{ASCII}/gu, '_')
  return `${kind}; filename="${ascii === name ? bytes : escaped(ascii)}"; filename*=UTF-8''${bytes}`
}

/** A path as Go's `url.PathEscape` writes it. A name may be as long as a query: each byte is looked up. @param bytes - one character a byte */
function escaped(bytes: string): string {
  let text = ''
  for (let i = 0; i < bytes.length; i++) text += ESCAPED[bytes.charCodeAt(i)]
  return text
}

const ESCAPED: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte)
  return PLAIN.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})
