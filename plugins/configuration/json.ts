import { goQuote } from '../../core/go/quote.ts'
import { type Json } from '../../core/index.ts'
import { configurationErrors } from './errors.ts'

/** Objects and lists that may lie in each other; Go's decoder allows 10,000, which nobody's configuration needs. */
export const MAX_DEPTH = 256

/** One JSON value and nothing else. @throws E_JSON, in the words of Go's `encoding/json` */
export function parseJson(text: string, maxDepth = MAX_DEPTH): Json {
  const scanner = new Scanner(text, maxDepth)
  scanner.value()
  scanner.end()
  return JSON.parse(text) as Json
}

/** The first JSON value of a text; what follows is not looked at. @throws E_JSON */
export function parseFirstJson(text: string, maxDepth = MAX_DEPTH): Json {
  const end = new Scanner(text, maxDepth).value()
  return JSON.parse(text.slice(0, end)) as Json
}

type State = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'after'

/** Finds where JSON values end, and what is none. Works without recursion, as a text may be nested as deep as it is long. */
class Scanner {
  readonly #text: string
  readonly #maxDepth: number
  #at = 0

  constructor(text: string, maxDepth: number) {
    // Go looks at one space more, to see whether the last value is over.
    this.#text = `${text} `
    this.#maxDepth = maxDepth
  }

  /** Passes over one value. @returns its end */
  value(): number {
    const open: string[] = []
    let state: State = 'value'
    for (;;) {
      this.#match(/[ \t\r\n]*/y)
      if (state === 'after' && open.length === 0) return this.#at
      state = this.#step(state, open)
    }
  }

  /** @throws E_JSON unless only space follows */
  end(): void {
    this.#match(/[ \t\r\n]*/y)
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value')
  }

  #step(state: State, open: string[]): State {
    switch (state) {
      case 'first item':
        return this.#take(']') ? this.#close(open) : 'value'
      case 'first key':
        return this.#take('}') ? this.#close(open) : 'key'
      case 'key':
        if (!this.#take('"')) throw this.#unexpected('looking for beginning of object key string')
        this.#string()
        return 'colon'
      case 'colon':
        if (!this.#take(':')) throw this.#unexpected('after object key')
        return 'value'
      case 'after': {
        const isObject = open.at(-1) === '{'
        if (this.#take(',')) return isObject ? 'key' : 'value'
        if (this.#take(isObject ? '}' : ']')) return this.#close(open)
        throw this.#unexpected(isObject ? 'after object key:value pair' : 'after array element')
      }
      case 'value':
        return this.#begin(open)
    }
  }

  #begin(open: string[]): State {
    for (const bracket of ['{', '['] as const) {
      if (!this.#take(bracket)) continue
      if (open.push(bracket) > this.#maxDepth) throw configurationErrors.E_JSON('exceeded max depth')
      return bracket === '{' ? 'first key' : 'first item'
    }
    if (this.#take('"')) this.#string()
    else if (/[-0-9]/.test(this.#text[this.#at] ?? '')) this.#number()
    else this.#literal()
    return 'after'
  }

  #close(open: string[]): State {
    open.pop()
    return 'after'
  }

  #string(): void {
    for (;;) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a string may not hold
      this.#match(/[^"\\\x00-\x1f]*/y)
      if (this.#take('"')) return
      if (!this.#take('\\')) throw this.#unexpected('in string literal')
      if (this.#take('u')) {
        this.#match(/[0-9a-f]{0,4}/iy, 4, 'in \\u hexadecimal character escape')
      } else this.#match(/[bfnrt\\/"]?/y, 1, 'in string escape code')
    }
  }

  #number(): void {
    const start = this.#at
    this.#take('-')
    if (!this.#take('0')) this.#match(/[0-9]*/y, 1, 'in numeric literal')
    if (this.#take('.')) this.#match(/[0-9]*/y, 1, 'after decimal point in numeric literal')
    if (this.#take('e') || this.#take('E')) {
      if (!this.#take('+')) this.#take('-')
      this.#match(/[0-9]*/y, 1, 'in exponent of numeric literal')
    }
    const number = this.#text.slice(start, this.#at)
    if (!Number.isFinite(Number(number))) {
      throw configurationErrors.E_JSON(`json: cannot unmarshal number ${number} into Go value of type float64`)
    }
  }

  #literal(): void {
    const word = ['true', 'false', 'null'].find(one => one[0] === this.#text[this.#at])
    if (word === undefined) throw this.#unexpected('looking for beginning of value')
    for (const letter of word) {
      if (!this.#take(letter)) throw this.#unexpected(`in literal ${word} (expecting '${letter}')`)
    }
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  /** Passes over what matches, which has to have a length of `least`. */
  #match(sticky: RegExp, least = 0, where = ''): void {
    sticky.lastIndex = this.#at
    const length = sticky.exec(this.#text)?.[0].length ?? 0
    this.#at += length
    if (length < least) throw this.#unexpected(where)
  }

  /** Go reads bytes, and shows the first of a character that has several. */
  #unexpected(where: string): Error {
    const char = this.#text.slice(this.#at, this.#at + 2)
    if (char === '') return configurationErrors.E_JSON('unexpected end of JSON input')
    const byte = String.fromCharCode(Buffer.from(char)[0]!)
    const shown = byte === "'" ? "'\\''" : byte === '"' ? `'"'` : `'${goQuote(byte).slice(1, -1)}'`
    return configurationErrors.E_JSON(`invalid character ${shown} ${where}`)
  }
}
