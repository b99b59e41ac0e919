import { brokenEscapeAt, percentDecoded } from '../../../core/go/query.ts'
import type { NodeError } from '../../../core/index.ts'
import { multipartErrors } from './errors.ts'
import { Recent } from './recent.ts'

/** A media type or disposition in lower case, and its parameters by lower-case name. */
export interface MediaType {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** Whether tokens are made of a character, by its code. */
const TOKEN: readonly boolean[] = Array.from({ length: 256 }, (_, code) => /[!#$%&'*+\-.^_`|~0-9a-z]/i.test(String.fromCharCode(code)))
const SPACE: readonly boolean[] = Array.from({ length: 256 }, (_, code) => /[\t\n\v\f\r \x85\xa0]/.test(String.fromCharCode(code)))
const SPECIALS = '()<>@,;:\\"/[]?='

const recent = new Recent<MediaType>()

/**
 * Reads the value of a `Content-Type` or `Content-Disposition` field as Go's `mime.ParseMediaType` does: continued (`name*0`) and encoded
 * (`name*=UTF-8''…`) parameters put together, a backslash kept where nothing had to be escaped.
 *
 * @param value - one character a byte; so are the values in the answer
 * @throws E_MIME_…
 */
export function parseMediaType(value: string): MediaType {
  const known = recent.get(value)
  if (known !== undefined) return known
  const read = readMediaType(value)
  recent.set(value, read)
  return read
}

function readMediaType(value: string): MediaType {
  const end = endOfType(value)
  const type = value.slice(0, end).trim().toLowerCase()
  checkType(type)
  const plain = new Map<string, string>()
  let starred: Map<string, Map<string, string>> | undefined
  for (let at = endOf(SPACE, value, end); at < value.length; ) {
    const taken = takeParameter(value, at)
    if (taken === undefined) {
      if (value.slice(at).trim() === ';') break
      throw multipartErrors.E_MIME_PARAMETER()
    }
    const star = taken.name.indexOf('*')
    let into = plain
    if (star >= 0) {
      const name = taken.name.slice(0, star)
      starred ??= new Map()
      into = starred.get(name) ?? new Map<string, string>()
      starred.set(name, into)
    }
    const before = into.get(taken.name)
    if (before !== undefined && before !== taken.value) throw multipartErrors.E_MIME_PARAMETER_TWICE()
    into.set(taken.name, taken.value)
    at = endOf(SPACE, value, taken.end)
  }
  for (const [name, pieces] of starred ?? []) {
    const whole = stitched(name, pieces)
    if (whole !== undefined) plain.set(name, whole)
  }
  return { type, parameters: plain }
}

/** The type alone, where what follows it may be broken; undefined where there is none. */
export function typeOnly(value: string): string | undefined {
  const type = value.slice(0, endOfType(value)).trim().toLowerCase()
  try {
    checkType(type)
    return type
  } catch {
    return undefined
  }
}

function endOfType(value: string): number {
  const end = value.indexOf(';')
  return end < 0 ? value.length : end
}

/** The end of the characters of one kind that stand at `at`. */
function endOf(kind: readonly boolean[], text: string, at: number): number {
  let end = at
  while (kind[text.charCodeAt(end)] === true) end++
  return end
}

/** @throws E_MIME_NO_TYPE, E_MIME_SLASH, E_MIME_SUBTYPE, E_MIME_AFTER_SUBTYPE */
function checkType(type: string): void {
  const first = endOf(TOKEN, type, 0)
  let wrong: (() => NodeError) | undefined
  if (first === 0) wrong = multipartErrors.E_MIME_NO_TYPE
  else if (first < type.length) {
    const second = endOf(TOKEN, type, first + 1)
    if (type[first] !== '/') wrong = multipartErrors.E_MIME_SLASH
    else if (second === first + 1) wrong = multipartErrors.E_MIME_SUBTYPE
    else if (second < type.length) wrong = multipartErrors.E_MIME_AFTER_SUBTYPE
  }
  if (wrong !== undefined) throw wrong()
}

interface Taken {
  readonly name: string
  readonly value: string
  /** The end of what was taken. */
  readonly end: number
}

function takeParameter(text: string, at: number): Taken | undefined {
  if (text[at] !== ';') return undefined
  const start = endOf(SPACE, text, at + 1)
  const end = endOf(TOKEN, text, start)
  const equals = endOf(SPACE, text, end)
  if (end === start || text[equals] !== '=') return undefined
  return takeValue(text.slice(start, end).toLowerCase(), text, endOf(SPACE, text, equals + 1))
}

/** A token or a quoted string; undefined where there is neither. */
function takeValue(name: string, text: string, start: number): Taken | undefined {
  if (text[start] !== '"') {
    const end = endOf(TOKEN, text, start)
    return end === start ? undefined : { name, value: text.slice(start, end), end }
  }
  let value = ''
  // what stands between two backslashes is taken in one
  let from = start + 1
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (char === '"') return { name, value: value + text.slice(from, i), end: i + 1 }
    if (char === '\r' || char === '\n') return undefined
    const next = text[i + 1]
    if (char === '\\' && next !== undefined && SPECIALS.includes(next)) {
      value += text.slice(from, i) + next
      i++
      from = i + 1
    }
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
