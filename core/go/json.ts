import { CID } from 'multiformats/cid'
import { cidToString } from '../cid/parse.ts'
import { formatFloat64 } from './number.ts'
import { trimRight } from './trim.ts'

/** A number with the text that it was read from, which is written again (`JSON.rawJSON`). */
export interface ExactNumber {
  readonly rawJSON: string
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

// the compiler's library does not have these yet; Node.js has had them since 21
const {
  rawJSON: rawJson,
  isRawJSON,
  parse
} = JSON as unknown as {
  rawJSON(text: string): ExactNumber
  isRawJSON(value: unknown): value is ExactNumber
  parse(text: string, reviver: Reviver): unknown
}

export const isExactNumber = isRawJSON

/** Parses JSON. A number that JavaScript would write otherwise than it stands there (`1.0`, 23 digits) becomes an {@link ExactNumber}. */
export function parseJsonExactly(text: string): unknown {
  return parse(text, (_, value, { source }) => (typeof value === 'number' && String(value) !== source ? rawJson(source!) : value))
}

/** The value with JavaScript's own numbers in place of each {@link ExactNumber}. */
export function plainNumbers<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  return JSON.parse(JSON.stringify(value)) as T
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const SPECIAL = /["\\\x00-\x1f<>&\u2028\u2029\ud800-\udfff]/

/** A JSON string as Go's `encoding/json` writes it: `<`, `>`, `&`, U+2028 and U+2029 escaped, what is no UTF-8 as `\ufffd`. */
export function goJsonString(text: string): string {
  return SPECIAL.test(text) ? escapedString(text) : `"${text}"`
}

function escapedString(text: string): string {
  return JSON.stringify(text).replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)|[<>&\u2028\u2029]/g, found => {
    if (found[0] !== '\\') return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
    return found.length === 6 ? '\\ufffd' : found
  })
}

/**
 * `value` as Go's `encoding/json` writes it, without spaces. Members in their order, those that are undefined left out; a Map's
 * keys sorted by bytes; a Uint8Array as padded base64; a CID as `{"/":"…"}`; a Date as RFC 3339; a bigint in full.
 *
 * @throws TypeError for what JSON cannot hold (NaN, functions)
 */
export function goJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return goJsonString(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`json: unsupported value: ${value}`)
      return formatFloat64(value)
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'undefined':
      return 'null'
    case 'object':
      return value === null ? 'null' : goJsonObject(value)
    default:
      throw new TypeError(`json: unsupported type: ${typeof value}`)
  }
}

/** JSON with two spaces of indent, as Go's `json.MarshalIndent` writes it; no line end at the end. A bigint is written in full. */
export function goJsonIndented(value: unknown): string {
  return JSON.stringify(value, (_, of: unknown) => (typeof of === 'bigint' ? rawJson(String(of)) : of), 2).replace(
    /[<>&\u2028\u2029]/g,
    c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
}

function goJsonObject(value: object): string {
  if (isExactNumber(value)) return value.rawJSON
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  if (value instanceof Uint8Array) return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`
  const cid = CID.asCID(value)
  if (cid !== null) return `{"/":"${cidToString(cid)}"}`
  if (value instanceof Date) return `"${rfc3339(value)}"`
  if (value instanceof Map) return members([...value].map(([key, of]) => [String(key), of] as const).sort(byBytes))
  if ('toJSON' in value && typeof value.toJSON === 'function') return goJson(value.toJSON())
  return members(Object.entries(value))
}

function members(entries: ReadonlyArray<readonly [string, unknown]>): string {
  let text = ''
  for (const [key, value] of entries) {
    if (value === undefined) continue
    text += `${text && ','}${goJsonString(key)}:${goJson(value)}`
  }
  return `{${text}}`
}

/** Go compares strings by bytes, which for UTF-8 is the order of code points. */
function byBytes([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** A time as Go's `time.RFC3339Nano` prints it, in UTC. */
export function rfc3339(time: Date): string {
  return `${trimRight(trimRight(time.toISOString().slice(0, -1), '0'), '.')}Z`
}
