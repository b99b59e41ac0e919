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
  return bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
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

/** A key that no `=` follows; a `?` before the first does not count. */
const KEY_ALONE = /(^\?|^(?!\?)|&)([^&=]+)(?=&|$)/g

/**
 * The same as browsers read them (WHATWG URL). Keys without a value are given their `=` first: the time that `URLSearchParams` takes for such keys
 * grows with their square (Node 24), and a mebibyte of them takes seconds.
 */
export function searchParams(query: string): URLSearchParams {
  return new URLSearchParams(query.replace(KEY_ALONE, '$1$2='))
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
