const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
const NAMED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\'
}

/** Whether Go's `unicode.IsPrint` holds: letters, marks, numbers, punctuation, symbols, and the ASCII space. */
export function isPrintable(char: string): boolean {
  return PRINTABLE.test(char)
}

/** `text` as Go's `%q` writes it. A byte that is no UTF-8 (a lone surrogate, see `utf8.ts`) becomes `\xNN`. */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`
  let quoted = ''
  for (const char of text) quoted += char === '"' ? '\\"' : escaped(char)
  return `"${quoted}"`
}

/** One character as Go's `%q` writes a rune: `'x'`. */
export function goQuoteRune(char: string): string {
  return char === "'" ? "'\\''" : `'${escaped(char)}'`
}

/** One character as Go's `%#U` writes a rune: `U+007A 'z'`, or `U+000A` where there is nothing to show. */
export function goUnicode(char: string): string {
  const name = `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
  return isPrintable(char) ? `${name} '${char}'` : name
}

function escaped(char: string): string {
  const named = NAMED[char]
  if (named !== undefined) return named
  if (isPrintable(char)) return char
  const code = char.codePointAt(0)!
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd'
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0')
}
