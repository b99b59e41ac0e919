import { decodeUtf8, percentDecoded } from '../../../core/go/index.ts'
import { gatewayErrors } from '../errors.ts'

/** The parts of a request's target, before anybody has looked where it leads. */
export interface Target {
  /** Still percent-encoded: printable ASCII, escapes in capitals. */
  readonly rawPath: string
  /** The path decoded once; what is no UTF-8 in it as `core/go/utf8.ts` keeps it. */
  readonly path: string
  /** The query without its `?`. */
  readonly rawQuery: string
  /** The host that an absolute target names, as one to a proxy does. */
  readonly host: string | undefined
}

const PLAIN = /^[\w/.~!$&'()*+,;=:@-]*$/
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i

/** @throws E_GATEWAY_ENCODING */
export function parseTarget(url: string): Target {
  const [authority = '', host] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? [])
  const local = url.slice(authority.length)
  const cut = local.indexOf('?')
  const path = (cut < 0 ? local : local.slice(0, cut)) || '/'
  const rawQuery = cut < 0 ? '' : local.slice(cut + 1)
  if (PLAIN.test(path)) return { rawPath: path, path, rawQuery, host }
  return { rawPath: canonicalEscapes(path), path: decodePath(path), rawQuery, host }
}

/** Text of a header field or target, one character a byte, with everything that a URL cannot hold as an escape, and escapes in capitals. */
export function canonicalEscapes(bytes: string): string {
  const capital = SMALL_ESCAPE.test(bytes) ? withCapitals(bytes) : bytes
  return capital.replace(/[^!-~]|["<>\\^`{|}]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}

const SMALL_ESCAPE = /%(?:[a-f][0-9a-fA-F]|[0-9A-F][a-f])/
const SMALL_A = 0x61

/** Text with its escapes in capitals, made in one piece of memory, as there may be a quarter of a million. */
function withCapitals(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1')
  const escapes = /%[0-9a-f]{2}/gi
  while (escapes.test(bytes)) {
    for (let at = escapes.lastIndex - 2; at < escapes.lastIndex; at++) if (buffer[at]! >= SMALL_A) buffer[at]! -= 0x20
  }
  return buffer.toString('latin1')
}

/** @throws E_GATEWAY_ENCODING */
export function decodePath(path: string): string {
  if (/%(?![0-9a-f]{2})/i.test(path)) throw gatewayErrors.E_GATEWAY_ENCODING(path)
  return decodeUtf8(Buffer.from(percentDecoded(path), 'latin1'))
}
