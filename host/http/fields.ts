import { byteString } from '../../core/go/utf8.ts'

/** Header fields by name, in the order in which they are sent. */
export type Fields = ReadonlyArray<readonly [name: string, value: string]>

/** Name and value in turn, as `writeHead` takes them. */
export type RawFields = readonly string[]

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/g

/** Text as the value of a header field or trailer: its UTF-8 bytes, line ends and other control characters as spaces. */
export function fieldValue(text: string): string {
  return byteString(text).replace(CONTROL, ' ').trim()
}

/** `fields` with `more` behind them. */
export function withFields(fields: RawFields, more: Fields): RawFields {
  return more.length === 0 ? fields : [...fields, ...more.flat()]
}
