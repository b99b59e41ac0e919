import { goQuote } from './quote.ts'

/** Where something stands in a JSON text. */
export interface JsonPlace {
  /** The line, from 1 on. */
  readonly line: number
  /** The column in UTF-16 code units, from 1 on. */
  readonly column: number
  /** The member that it is in: `Addresses.Swarm[1]`; `''` for the whole. Its name is that of the text. */
  readonly key: string
}

/** An error in a JSON text, in the words of Go's `encoding/json`. Nothing else of the text is in the message. */
export class JsonTextError extends Error {
  readonly place: JsonPlace

  constructor(message: string, place: JsonPlace) {
    super(message)
    this.name = 'JsonTextError'
    this.place = place
  }
}

/** Shown of a key at most. */
const MOST_KEY = 100

/** `line 3 column 7, in Addresses.API`, on one line whatever the keys are. */
export function placeText({ line, column, key }: JsonPlace): string {
  const quoted = goQuote(key.length > MOST_KEY ? `${key.slice(0, MOST_KEY)}…` : key).slice(1, -1)
  return `line ${line} column ${column}${key === '' ? '' : `, in ${quoted}`}`
}

/** How a text is read. */
export interface JsonTextOptions {
  /** Objects and lists that may lie in each other. */
  readonly maxDepth: number
  /** Whether anything but space may follow the value. Default false. */
  readonly more?: boolean
}

/** The end of the first JSON value of a text. @throws JsonTextError */
export function endOfJson(text: string, { maxDepth, more = false }: JsonTextOptions): number {
  const scanner = new Scanner(text, maxDepth)
  const end = scanner.value()
  if (!more) scanner.end()
  return end
}

/** Where the value of a member stands, its name read without regard to case; undefined where there is none. @throws JsonTextError */
export function placeOfKey(text: string, key: string, options: JsonTextOptions): JsonPlace | undefined {
  const wanted = key.toLowerCase()
  let found: JsonPlace | undefined
  new Scanner(text, options.maxDepth, (at, place) => {
    // of several the last counts
    if (at.length === wanted.length && at.toLowerCase() === wanted) found = place()
  }).value()
  return found
}

type State = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'after'

/** An object or a list that is open: what leads to it, and where in it the scanner is. */
interface OpenContainer {
  readonly bracket: '{' | '['
  readonly path: string
  key: string
  index: number
}

/** Finds where JSON values end, and what is none. Works without recursion, as a text may be nested as deep as it is long. */
class Scanner {
  readonly #text: string
  readonly #maxDepth: number
  readonly #onValue: ((key: string, place: () => JsonPlace) => void) | undefined
  readonly #open: OpenContainer[] = []
  #at = 0

  /** @param onValue - called where each value begins */
  constructor(text: string, maxDepth: number, onValue?: (key: string, place: () => JsonPlace) => void) {
    // Go looks at one space more, to see whether the last value is over.
    this.#text = `${text} `
    this.#maxDepth = maxDepth
    this.#onValue = onValue
  }

  /** Passes over one value. @returns its end */
  value(): number {
    let state: State = 'value'
    for (;;) {
      this.#match(/[ \t\r\n]*/y)
      if (state === 'after' && this.#open.length === 0) return this.#at
      state = this.#step(state)
    }
  }

  /** @throws E_JSON unless only space follows */
  end(): void {
    this.#match(/[ \t\r\n]*/y)
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value')
  }

  #step(state: State): State {
    switch (state) {
      case 'first item':
        return this.#take(']') ? this.#close() : 'value'
      case 'first key':
        return this.#take('}') ? this.#close() : 'key'
      case 'key':
        if (!this.#take('"')) throw this.#unexpected('looking for beginning of object key string')
        this.#key()
        return 'colon'
      case 'colon':
        if (!this.#take(':')) throw this.#unexpected('after object key')
        return 'value'
      case 'after': {
        const container = this.#open.at(-1)!
        const isObject = container.bracket === '{'
        if (this.#take(',')) {
          container.index++
          container.key = ''
          return isObject ? 'key' : 'value'
        }
        if (this.#take(isObject ? '}' : ']')) return this.#close()
        throw this.#unexpected(isObject ? 'after object key:value pair' : 'after array element')
      }
      case 'value':
        return this.#begin()
    }
  }

  #begin(): State {
    this.#onValue?.(this.#path(), () => this.#place())
    for (const bracket of ['{', '['] as const) {
      if (this.#text[this.#at] !== bracket) continue
      if (this.#open.length === this.#maxDepth) throw this.#error('exceeded max depth')
      this.#open.push({ bracket, path: this.#path(), key: '', index: 0 })
      this.#at++
      return bracket === '{' ? 'first key' : 'first item'
    }
    if (this.#take('"')) this.#string()
    else if (/[-0-9]/.test(this.#text[this.#at] ?? '')) this.#number()
    else this.#literal()
    return 'after'
  }

  #close(): State {
    this.#open.pop()
    return 'after'
  }

  #key(): void {
    const start = this.#at - 1
    this.#string()
    this.#open.at(-1)!.key = JSON.parse(this.#text.slice(start, this.#at)) as string
  }

  /** The member that the scanner is in. */
  #path(): string {
    const container = this.#open.at(-1)
    if (container === undefined) return ''
    if (container.bracket === '[') return `${container.path}[${container.index}]`
    return [container.path, container.key].filter(part => part !== '').join('.')
  }

  #place(): JsonPlace {
    const before = this.#text.slice(0, Math.min(this.#at, this.#text.length - 1))
    const start = before.lastIndexOf('\n') + 1
    return { line: before.split('\n').length, column: before.length - start + 1, key: this.#path() }
  }

  #error(message: string): JsonTextError {
    return new JsonTextError(message, this.#place())
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
      throw this.#error(`json: cannot unmarshal number ${number} into Go value of type float64`)
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
  #unexpected(where: string): JsonTextError {
    const char = this.#text.slice(this.#at, this.#at + 2)
    if (char === '') return this.#error('unexpected end of JSON input')
    const byte = String.fromCharCode(Buffer.from(char)[0]!)
    const shown = byte === "'" ? "'\\''" : byte === '"' ? `'"'` : `'${goQuote(byte).slice(1, -1)}'`
    return this.#error(`invalid character ${shown} ${where}`)
  }
}
