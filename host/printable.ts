import { goQuote } from '../core/go/quote.ts'

/**
 * Characters that a terminal acts on, or that nobody sees: controls (C0, DEL, C1), formats such as the marks of writing direction, separators of
 * lines, halves of pairs, and what is left out where it stands. Line ends and tabs are layout; a variation selector belongs to the character before.
 */
const HIDDEN = /(?![\n\t]|\p{Variation_Selector})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** Text for a terminal: everything in it that does not print, but line ends and tabs, is escaped as {@link escaped} says. */
export function printable(text: string): string {
  return text.replace(HIDDEN, escaped)
}

/** Text for a terminal that stays on its line: line ends and tabs are escaped too. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, escaped)
}

/**
 * One character as Go's `%q` writes it (`\x1b`, `\n`; a byte that is no UTF-8, see `core/go/utf8.ts`, as `\x9b`). Those above ASCII, and DEL, are
 * written as in JSON (`\u202e`), which is the only form that JSON has for them: what was JSON remains it.
 */
function escaped(char: string): string {
  const code = char.codePointAt(0)!
  if (code < 0x7f || (code >= 0xdc80 && code <= 0xdcff)) return goQuote(char).slice(1, -1)
  return Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
}

/** Characters that stay as they are in {@link withLinesEscaped}. */
export interface Spared {
  /** Line ends and tabs among these characters. */
  readonly chars?: string
  /** The strings of members with these names. */
  readonly members?: readonly string[]
}

/**
 * A value in whose strings, names of members among them, line ends and tabs are escaped: as `\x0a` and `\x09`, since the formats of some commands
 * turn `\n` and `\t` back.
 */
export function withLinesEscaped<T>(value: T, { chars = '', members = [] }: Spared = {}): T {
  const wanted = ['\n', '\t'].filter(char => !chars.includes(char)).join('')
  return wanted === '' ? value : (rewritten(value, new RegExp(`[${wanted}]`, 'g'), members) as T)
}

const inHex = (char: string) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`

function rewritten(value: unknown, what: RegExp, members: readonly string[]): unknown {
  if (typeof value === 'string') return value.replace(what, inHex)
  if (Array.isArray(value)) return value.map(one => rewritten(one, what, members))
  if (value === null || typeof value !== 'object' || !isPlain(value)) return value
  const entries = Object.entries(value).map(([key, of]) => {
    const isSpared = typeof of === 'string' && members.includes(key)
    return [key.replace(what, inHex), isSpared ? of : rewritten(of, what, members)] as const
  })
  return Object.fromEntries(entries)
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  return prototype === null || prototype === Object.prototype
}
