import { base64 } from '../../../cid/base/base64.ts'
import { parseCid } from '../../../cid/parse.ts'
import { dagErrors } from '../../errors.ts'
import { finished, type Node } from '../../model.ts'
import {
  BACKSLASH,
  COLON,
  COMMA,
  END,
  isNumberStart,
  JsonTokens,
  LIST_CLOSE,
  LIST_OPEN,
  MAP_CLOSE,
  MAP_OPEN,
  QUOTE,
  SLASH
} from './tokens.ts'

interface JsonDecodeOptions {
  /** Whether `{"/": …}` means links and bytes (dag-json), or is a map like any other (json). */
  special: boolean
  /** Whether text and numbers that cannot be kept are taken for what is nearest to them, and commas may be missing: for who looks at links alone. */
  lenient?: boolean
  /** Most values in a block, lists and maps among them, so that a few bytes each do not fill the memory. Default {@link MAX_VALUES}. */
  maxValues?: number | undefined
}

export const MAX_VALUES = 1_000_000

/**
 * Reads one JSON value as the reference does (refmt 0.89, go-ipld-prime 0.21): a comma may trail, `null`, `true` and `false` are
 * known by their first letter, integers stay integers. One that is missing is refused, as since Kubo 0.42, and so is what could only be kept as
 * something else. No recursion.
 *
 * @throws E_UNEXPECTED_EOF, E_EOF (the input ended inside a list or map), E_JSON_…, E_NUMBER_…, E_MAP_KEY_REPEATED, E_MAP_KEY_KIND,
 * E_CID_INVALID, E_JSON_COMMA, E_JSON_VALUES, E_JSON_SURROGATE, E_JSON_PRECISION
 */
export function decodeJson(bytes: Uint8Array, { special, lenient = false, maxValues = MAX_VALUES }: JsonDecodeOptions): Node {
  return new JsonReader(new JsonTokens(bytes, lenient), special, lenient, maxValues).read()
}

/** What a value begins with, as the reference calls it. */
const OPENING: ReadonlyMap<number, string> = new Map([
  [QUOTE, 'quote'],
  [MAP_OPEN, 'map open'],
  [LIST_OPEN, 'array open']
])

const plainBase64 = base64()
const paddedBase64 = base64({ padded: true })

/** A map whose entries are still coming. */
class OpenMap {
  readonly map = new Map<string, Node>()
  /** Of the entry that comes. */
  key = ''
}

/** A list or map whose entries are still coming: a million of them may lie in each other. */
type OpenContainer = Node[] | OpenMap

class JsonReader {
  readonly #tokens: JsonTokens
  readonly #special: boolean
  readonly #isLenient: boolean
  readonly #maxValues: number
  #values = 0

  constructor(tokens: JsonTokens, special: boolean, isLenient: boolean, maxValues: number) {
    this.#tokens = tokens
    this.#special = special
    this.#isLenient = isLenient
    this.#maxValues = maxValues
  }

  read(): Node {
    const stack: OpenContainer[] = []
    let top: OpenContainer | undefined
    for (;;) {
      const first = top === undefined ? this.#tokens.required() : this.#entry(top)
      let value: Node | undefined
      if (first !== END && ++this.#values > this.#maxValues) throw dagErrors.E_JSON_VALUES(this.#maxValues)
      if (first === END) {
        const ended = stack.pop()!
        value = finished(ended instanceof OpenMap ? ended.map : ended)
        top = stack.at(-1)
      } else if (first === LIST_OPEN) {
        this.#tokens.inside = true
        top = []
        stack.push(top)
        continue
      } else if (first === MAP_OPEN) {
        this.#tokens.inside = true
        value = this.#special ? this.#linkOrBytes() : undefined
        if (value === undefined) {
          top = new OpenMap()
          stack.push(top)
          continue
        }
      } else value = this.#scalar(first, top === undefined)
      if (top === undefined) {
        this.#tokens.end()
        return value
      }
      if (top instanceof OpenMap) top.map.set(top.key, value)
      else top.push(value)
    }
  }

  /** Finds where the next value of a list or map starts, reading a map's key first. {@link END}: there is none. */
  #entry(container: OpenContainer): number {
    const isMap = container instanceof OpenMap
    const close = isMap ? MAP_CLOSE : LIST_CLOSE
    const some = (isMap ? container.map.size : container.length) > 0
    let first = this.#tokens.required()
    if (some && first === COMMA) first = this.#tokens.required()
    else if (some && first !== close && !this.#isLenient)
      throw dagErrors.E_JSON_COMMA(isMap ? 'map' : 'array', OPENING.get(first) ?? `0x${first.toString(16).padStart(2, '0')}`)
    if (first === close) return END
    if (!isMap) return first
    container.key = this.#key(first)
    if (container.map.has(container.key)) throw dagErrors.E_MAP_KEY_REPEATED(container.key)
    return this.#tokens.required()
  }

  /** A key and its colon. The reference looks for the colon before it says what is wrong with the key. */
  #key(first: number): string {
    let key = ''
    let wrong: unknown
    try {
      if (first === QUOTE) key = this.#tokens.string()
      else wrong = dagErrors.E_MAP_KEY_KIND(this.#keyKind(first))
    } catch (error) {
      wrong = error
    }
    const colon = this.#tokens.required()
    if (colon !== COLON) throw dagErrors.E_JSON_COLON(colon)
    if (wrong !== undefined) throw wrong
    return key
  }

  #keyKind(first: number): string {
    if (first === MAP_OPEN) return 'map open'
    if (first === LIST_OPEN) return 'array open'
    if (isNumberStart(first)) return typeof this.#attempt(() => this.#tokens.number()) === 'number' ? 'float' : 'int'
    const word = this.#tokens.word(first)
    return word === undefined ? 'invalid' : word === null ? 'null' : 'bool'
  }

  #attempt<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch {
      return undefined
    }
  }

  #scalar(first: number, root: boolean): Node {
    if (first === QUOTE) return this.#tokens.string()
    if (isNumberStart(first)) {
      const value = this.#tokens.number()
      // The byte that ended a number was read with it; behind a root nobody looks at it again.
      if (root) this.#tokens.skipOne()
      return value
    }
    const word = this.#tokens.word(first)
    if (word === undefined) throw dagErrors.E_JSON_VALUE(first)
    return word
  }

  /** `{"/":"cid"}` or `{"/":{"bytes":"base64"}}`, the brace already read; otherwise the cursor stays. */
  #linkOrBytes(): Node | undefined {
    const start = this.#tokens.at
    const found = this.#mayBeSpecial() ? this.#attempt(() => this.#specialText()) : undefined
    if (found === undefined) {
      this.#tokens.goBack(start)
      return undefined
    }
    return found.bytes ? decodeBase64(found.text) : parseCid(found.text)
  }

  /** Whether the first key begins as `"/"` would, escaped or not. */
  #mayBeSpecial(): boolean {
    const start = this.#tokens.at
    const quote = this.#tokens.next()
    const byte = this.#tokens.peeked
    this.#tokens.goBack(start)
    return quote === QUOTE && (byte === SLASH || byte === BACKSLASH)
  }

  #specialText(): { bytes: boolean; text: string } | undefined {
    if (!this.#keyIs('/')) return undefined
    const first = this.#tokens.next()
    if (first === QUOTE) {
      const text = this.#tokens.string()
      return this.#closes() ? { bytes: false, text } : undefined
    }
    if (first !== MAP_OPEN || !this.#keyIs('bytes') || this.#tokens.next() !== QUOTE) return undefined
    const text = this.#tokens.string()
    return this.#closes() && this.#closes() ? { bytes: true, text } : undefined
  }

  #keyIs(key: string): boolean {
    return this.#tokens.next() === QUOTE && this.#tokens.string() === key && this.#tokens.next() === COLON
  }

  #closes(): boolean {
    const byte = this.#tokens.next()
    return byte === MAP_CLOSE || (byte === COMMA && this.#tokens.next() === MAP_CLOSE)
  }
}

/** Unpadded, or with padding where that fails. */
function decodeBase64(text: string): Uint8Array {
  try {
    return plainBase64.decode(text)
  } catch {
    return paddedBase64.decode(text)
  }
}
