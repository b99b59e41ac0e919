import { byteString } from '../../../core/go/index.ts'

/** Names that stand as they are. */
const PLAIN = /^[\w\-.~$&+:=@]*$/

/** The value of `Content-Disposition` for a file name (Kubo 0.28, boxo gateway: setContentDispositionHeader). */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  if (PLAIN.test(name)) return `${kind}; filename="${name}"; filename*=UTF-8''${name}`
  const ascii = [...name].map(char => (char.codePointAt(0)! > 0x7f ? '_' : char)).join('')
  return `${kind}; filename="${escaped(ascii)}"; filename*=UTF-8''${escaped(byteString(name))}`
}

/** A path as Go's `url.PathEscape` writes it. @param bytes - one character a byte */
function escaped(bytes: string): string {
  return bytes.replace(/[^\w\-.~$&+:=@]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
