import { goQuote } from '../../../core/go/quote.ts'
import { fromByteString } from '../../../core/go/utf8.ts'
import { isBlank, trimBlanks } from './blanks.ts'
import { multipartErrors } from './errors.ts'

/** Fields of a part's header: names in lower case, values one character a byte. Of a field that comes twice the first counts. */
export type HeaderFields = Readonly<Record<string, string>>

const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z ]+$/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/

/** Reads the lines of a MIME header one by one, as Go's `net/textproto` does. */
export class HeaderReader {
  readonly #fields: Record<string, string> = Object.create(null) as Record<string, string>
  #open: string | undefined
  #first = true

  /**
   * Takes the next line, without its end.
   *
   * @returns the fields, when this was the empty line behind them
   * @throws E_MIME_HEADER_START, E_MIME_HEADER_COLON, E_MIME_HEADER_LINE
   */
  line(bytes: string): HeaderFields | undefined {
    const isIndented = isBlank(bytes.charCodeAt(0))
    if (this.#first && isIndented) throw multipartErrors.E_MIME_HEADER_START(text(bytes))
    this.#first = false
    if (this.#open !== undefined && isIndented) {
      this.#open += ` ${trimBlanks(bytes)}`
      return undefined
    }
    this.#close()
    const line = trimBlanks(bytes)
    if (line === '') return this.#fields
    if (!line.includes(':')) throw multipartErrors.E_MIME_HEADER_COLON(goQuote(text(line)))
    this.#open = line
    return undefined
  }

  #close(): void {
    if (this.#open === undefined) return
    const line = this.#open
    this.#open = undefined
    const colon = line.indexOf(':')
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1)
    if (!NAME.test(name) || CONTROL.test(value)) throw multipartErrors.E_MIME_HEADER_LINE(text(line))
    this.#fields[name.toLowerCase()] ??= trimBlanks(value)
  }
}

const text = fromByteString
