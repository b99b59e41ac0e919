/** The quote that is open where a person types. */
type Quote = '' | "'" | '"'

/** A line as far as it was typed. */
interface TypedLine {
  /** Its words, the last one as far as it was typed, quotes and escapes resolved. Nothing is expanded: `$HOME` stays as it is. */
  readonly words: readonly string[]
  /** The last word as it was typed. */
  readonly raw: string
  /** The quote that is open in it. */
  readonly quote: Quote
}

/** Takes a line apart as POSIX shells do. */
export function typedLine(line: string): TypedLine {
  const words = ['']
  let raw = ''
  let quote: Quote = ''
  const append = (text: string) => words.push(words.pop()! + text)
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!
    if (quote === '' && /[ \t\n]/.test(char)) {
      if (raw !== '') words.push('')
      raw = ''
      continue
    }
    raw += char
    if (char === quote) quote = ''
    else if (quote === "'") append(char)
    else if (char === '\\') {
      const next = line[++at] ?? ''
      raw += next
      // between double quotes a backslash is one before any other character
      append(quote === '"' && !/[$`"\\\n]/.test(next) ? `\\${next}` : next === '\n' ? '' : next)
    } else if (quote === '' && (char === "'" || char === '"')) quote = char
    else append(char)
  }
  return { words, raw, quote }
}

/** Text as POSIX shells read it as itself behind an open quote, or none; undefined where there is no such form. */
export function quotedFor(text: string, quote: Quote): string | undefined {
  if (quote === "'") return text.replaceAll("'", "'\\''")
  // bash looks for earlier commands behind a '!' even there, and a backslash before it would stay
  if (quote === '"') return text.includes('!') ? undefined : text.replace(/[$`"\\]/g, '\\$&')
  return text.replace(/[^\p{L}\p{M}\p{N}_@%+=:,./-]/gu, '\\$&')
}

/** Whether POSIX shells read text as itself without quotes. */
export function needsNoQuotes(text: string): boolean {
  return quotedFor(text, '') === text
}
