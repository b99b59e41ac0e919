import { goErrors } from './errors.ts'
import { goQuote } from './quote.ts'
import { byteString, fromByteString } from './utf8.ts'

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
    if (isBroken(key) || isBroken(value)) continue
    pairs.push([unescapeBytes(key), unescapeBytes(value)])
  }
  return pairs
}

/**
 * Text of a query with its escapes resolved and `+` as space.
 *
 * @throws E_URL_ESCAPE
 */
export function queryUnescape(text: string): string {
  if (!/[%+]/.test(text)) return text
  const bytes = byteString(text)
  const broken = /%(?![0-9a-f]{2})/i.exec(bytes)
  if (broken) throw goErrors.E_URL_ESCAPE(goQuote(fromByteString(bytes.slice(broken.index, broken.index + 3))))
  return unescapeBytes(bytes)
}

function isBroken(bytes: string): boolean {
  return bytes.includes('%') && /%(?![0-9a-f]{2})/i.test(bytes)
}

function unescapeBytes(bytes: string): string {
  const spaced = bytes.includes('+') ? bytes.replaceAll('+', ' ') : bytes
  if (!spaced.includes('%')) return fromByteString(spaced)
  return fromByteString(spaced.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))))
}
