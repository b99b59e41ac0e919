import { goErrors } from './errors.ts'
import { goQuote } from './quote.ts'
import { byteString, fromByteString } from './utf8.ts'

const BROKEN = /%(?![0-9a-f]{2})/i

/** The place of the first `%` that two digits do not follow; -1: there is none. */
export function brokenEscapeAt(text: string): number {
  return text.includes('%') ? text.search(BROKEN) : -1
}

/** Text of one character a byte with its percent-encoding undone; a broken escape stays as it is. */
export function percentDecoded(bytes: string): string {
  let decoded = ''
  let from = 0
  for (let at = bytes.indexOf('%'); at >= 0; at = bytes.indexOf('%', at + 1)) {
    const byte = (hexDigit(bytes, at + 1) << 4) | hexDigit(bytes, at + 2)
    if (byte < 0) continue
    decoded += bytes.slice(from, at) + String.fromCharCode(byte)
    from = at + 3
  }
  return from === 0 ? bytes : decoded + bytes.slice(from)
}

/** The value of the digit at a place; -1: there is none. */
function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const small = code | 0x20
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1
}

/**
 * The pairs of a query in their order, as Go's `url.ParseQuery` keeps them: a pair with a broken escape or a `;` is dropped.
 *
 * @param query - without its `?`, as Node's HTTP parser gives it: one character a byte
 */
export function parseQuery(query: string): Array<[key: string, value: string]> {
  const pairs: Array<[string, string]> = []
  if (query === '') return pairs
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const cut = pair.indexOf('=')
    const key = cut < 0 ? pair : pair.slice(0, cut)
    const value = cut < 0 ? '' : pair.slice(cut + 1)
    if (brokenEscapeAt(key) >= 0 || brokenEscapeAt(value) >= 0) continue
    pairs.push([unescapeBytes(key), unescapeBytes(value)])
  }
  return pairs
}

/** Longest query that is left to `URLSearchParams`. */
const SHORT = 4096

/**
 * The same as browsers read them (WHATWG URL). Of a long query the pairs are taken apart here: the time that `URLSearchParams` takes for keys
 * without a value grows with their square (Node 24), and for each escape that is no UTF-8 it throws: a mebibyte of either takes seconds.
 */
export function searchParams(query: string): URLSearchParams {
  if (query.length <= SHORT) return new URLSearchParams(query)
  const params = new URLSearchParams()
  for (let at = query.startsWith('?') ? 1 : 0, end: number; at < query.length; at = end + 1) {
    end = query.indexOf('&', at)
    if (end < 0) end = query.length
    if (end === at) continue
    const pair = query.slice(at, end)
    const cut = pair.indexOf('=')
    if (cut < 0) params.append(formDecoded(pair), '')
    else params.append(formDecoded(pair.slice(0, cut)), formDecoded(pair.slice(cut + 1)))
  }
  return params
}

const ASCII = /^\p{ASCII}*$/u

/** Text of a form with its escapes resolved and `+` as space; what is no UTF-8 in it becomes U+FFFD. */
function formDecoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  const bytes = percentDecoded(ASCII.test(spaced) ? spaced : Buffer.from(spaced).toString('latin1'))
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString()
}

/**
 * Text of a query with its escapes resolved and `+` as space.
 *
 * @throws E_URL_ESCAPE
 */
export function queryUnescape(text: string): string {
  if (!/[%+]/.test(text)) return text
  const bytes = byteString(text)
  const broken = brokenEscapeAt(bytes)
  if (broken >= 0) throw goErrors.E_URL_ESCAPE(goQuote(fromByteString(bytes.slice(broken, broken + 3))))
  return unescapeBytes(bytes)
}

function unescapeBytes(bytes: string): string {
  const spaced = bytes.includes('+') ? bytes.replaceAll('+', ' ') : bytes
  if (!spaced.includes('%')) return fromByteString(spaced)
  return fromByteString(percentDecoded(spaced))
}
