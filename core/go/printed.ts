import { goQuote, isPrintable } from './quote.ts'

/** A name for a terminal: what does not print, and backslashes, as Go escapes them in a quoted string. */
export function printed(name: string): string {
  if (!name.includes('\\') && [...name].every(isPrintable)) return name
  return goQuote(name).slice(1, -1).replaceAll('\\"', '"')
}
