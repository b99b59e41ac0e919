import { brokenEscapeAt, percentDecoded } from '../../../core/go/query.ts'
import type { NodeError } from '../../../core/index.ts'
import { multipartErrors } from './errors.ts'

/** A media type or disposition in lower case, and its parameters by lower-case name. */
export interface MediaType {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+/i
const SPACE = /^[\t\n\v\f\r \x85\xa0]+/
const SPECIALS = '()<>@,;:\\"/[]?='

/**
 * Reads the value of a `Content-Type` or `Content-Disposition` field as Go's `mime.ParseMediaType` does: continued (`name*0`) and encoded
 * (`name*=UTF-8''…`) parameters put together, a backslash kept where nothing had to be escaped.
 *
 * @param value - one character a byte; so are the values in the answer
 * @throws E_MIME_…
 */
export function parseMediaType(value: string): MediaType {
  const base = value.split(';', 1)[0]!
  const type = base.trim().toLowerCase()
  checkType(type)
  const plain = new Map<string, string>()
  const starred = new Map<string, Map<string, string>>()
  let rest = skipSpace(value.slice(base.length))
  while (rest !== '') {
    const taken = takeParameter(rest)
    if (taken === undefined) {
      if (rest.trim() === ';') break
      throw multipartErrors.E_MIME_PARAMETER()
    }
    const star = taken.name.indexOf('*')
    let into = plain
    if (star >= 0) {
      const name = taken.name.slice(0, star)
      into = starred.get(name) ?? new Map<string, string>()
      starred.set(name, into)
    }
    const before = into.get(taken.name)
    if (before !== undefined && before !== taken.value) throw multipartErrors.E_MIME_PARAMETER_TWICE()
    into.set(taken.name, taken.value)
    rest = skipSpace(taken.rest)
  }
  for (const [name, pieces] of starred) {
    const whole = stitched(name, pieces)
    if (whole !== undefined) plain.set(name, whole)
  }
  return { type, parameters: plain }
}

/** The type alone, where what follows it may be broken; undefined where there is none. */
export function typeOnly(value: string): string | undefined {
  const type = value.split(';', 1)[0]!.trim().toLowerCase()
  try {
    checkType(type)
    return type
  } catch {
    return undefined
  }
}

/** @throws E_MIME_NO_TYPE, E_MIME_SLASH, E_MIME_SUBTYPE, E_MIME_AFTER_SUBTYPE */
function checkType(type: string): void {
  const first = TOKEN.exec(type)?.[0].length ?? 0
  let wrong: (() => NodeError) | undefined
  if (first === 0) wrong = multipartErrors.E_MIME_NO_TYPE
  else if (first < type.length) {
    const second = TOKEN.exec(type.slice(first + 1))?.[0].length ?? 0
    if (type[first] !== '/') wrong = multipartErrors.E_MIME_SLASH
    else if (second === 0) wrong = multipartErrors.E_MIME_SUBTYPE
    else if (first + 1 + second < type.length) wrong = multipartErrors.E_MIME_AFTER_SUBTYPE
  }
  if (wrong !== undefined) throw wrong()
}

function takeParameter(text: string): { name: string; value: string; rest: string } | undefined {
  if (text[0] !== ';') return undefined
  const afterSemicolon = skipSpace(text.slice(1))
  const name = TOKEN.exec(afterSemicolon)?.[0]
  if (name === undefined) return undefined
  const afterName = skipSpace(afterSemicolon.slice(name.length))
  if (afterName[0] !== '=') return undefined
  const taken = takeValue(skipSpace(afterName.slice(1)))
  return taken && { name: name.toLowerCase(), ...taken }
}

/** A token or a quoted string; undefined where there is neither. */
function takeValue(text: string): { value: string; rest: string } | undefined {
  if (text[0] !== '"') {
    const token = TOKEN.exec(text)?.[0]
    return token === undefined ? undefined : { value: token, rest: text.slice(token.length) }
  }
  let value = ''
  for (let i = 1; i < text.length; i++) {
    const char = text[i]!
    if (char === '"') return { value, rest: text.slice(i + 1) }
    if (char === '\r' || char === '\n') return undefined
    const next = text[i + 1]
    if (char === '\\' && next !== undefined && SPECIALS.includes(next)) {
      value += next
      i++
    } else value += char
  }
  return undefined
}

/** The value of a parameter that came with stars: encoded whole, or in numbered pieces. */
function stitched(name: string, pieces: ReadonlyMap<string, string>): string | undefined {
  const single = pieces.get(`${name}*`)
  if (single !== undefined) return decoded(single)
  let whole: string | undefined
  for (let n = 0; ; n++) {
    const plain = pieces.get(`${name}*${n}`)
    const encoded = pieces.get(`${name}*${n}*`)
    if (plain !== undefined) whole = (whole ?? '') + plain
    else if (encoded !== undefined) whole = (whole ?? '') + ((n === 0 ? decoded(encoded) : unescaped(encoded)) ?? '')
    else return whole
  }
}

/** `charset'language'text` of RFC 2231; undefined for another charset than ASCII or UTF-8. */
function decoded(value: string): string | undefined {
  const [charset, , ...text] = value.split("'")
  if (text.length === 0 || !/^(us-ascii|utf-8)$/i.test(charset!)) return undefined
  return unescaped(text.join("'"))
}

function unescaped(text: string): string | undefined {
  return brokenEscapeAt(text) < 0 ? percentDecoded(text) : undefined
}

function skipSpace(text: string): string {
  return text.replace(SPACE, '')
}
