import type { CID } from 'multiformats/cid'
import { base64 } from '../../../cid/base/base64.ts'
import { parseCid } from '../../../cid/parse.ts'
import { dagErrors } from '../../errors.ts'
import { finished, isLink, type Node } from '../../model.ts'
import { type Along, Keys } from '../along.ts'
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
  /** Where the value is looked into: lists and maps beside that way are empty. */
  along?: Along | undefined
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
export function decodeJson(bytes: Uint8Array, options: JsonDecodeOptions): Node {
  return new JsonReader(bytes, options).read()
}

/** The links of a value in its order, each as often as it occurs, without the value. It refuses what {@link decodeJson} refuses. */
export function linksOfJson(bytes: Uint8Array, options: JsonDecodeOptions): CID[] {
  return new JsonReader(bytes, options).links()
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
  readonly #along: Along | undefined
  #values = 0
  /** The key that was read last. */
  #name = ''

  constructor(bytes: Uint8Array, { special, lenient = false, along, maxValues = MAX_VALUES }: JsonDecodeOptions) {
    this.#tokens = new JsonTokens(bytes, lenient)
    this.#special = special
    this.#isLenient = lenient
    this.#maxValues = maxValues
    this.#along = along
  }

  read(): Node {
    const stack: OpenContainer[] = []
    let top: OpenContainer | undefined
    for (;;) {
      const first = top === undefined ? this.#tokens.required() : this.#next(top)
      let value: Node | undefined
      if (first === END) {
        const ended = stack.pop()!
        value = finished(ended instanceof OpenMap ? ended.map : ended)
        top = stack.at(-1)
      } else {
        this.#count()
        if (!isOpening(first)) value = this.#scalar(first, top === undefined)
        else value = this.#linkOrBytes(first)
        if (value === undefined && this.#along?.leads(stack.length, top instanceof OpenMap ? top.key : top?.length) === false)
          value = this.#pass(first)
        if (value === undefined) {
          top = first === LIST_OPEN ? [] : new OpenMap()
          stack.push(top)
          continue
        }
      }
      if (top === undefined) {
        this.#tokens.end()
        return value
      }
      if (top instanceof OpenMap) top.map.set(top.key, value)
      else top.push(value)
    }
  }

  links(): CID[] {
    const links: CID[] = []
    const first = this.#tokens.required()
    this.#count()
    const value = isOpening(first) ? this.#linkOrBytes(first) : this.#scalar(first, true)
    if (value === undefined) this.#pass(first, links)
    else if (isLink(value)) links.push(value)
    this.#tokens.end()
    return links
  }

  /** Reads a list or map that was opened to its end, and keeps its links alone. @returns an empty one */
  #pass(opening: number, links?: CID[]): Node {
    // of each list and map that is open, whether it has an entry, and the keys of a map
    const some: boolean[] = []
    const keys: Array<Keys | undefined> = []
    const open = (first: number) => {
      some.push(false)
      keys.push(first === MAP_OPEN ? new Keys() : undefined)
    }
    open(opening)
    for (let top = 0; top >= 0; top = some.length - 1) {
      const first = this.#entry(some[top]!, keys[top])
      if (first === END) {
        some.pop()
        keys.pop()
        continue
      }
      this.#count()
      some[top] = true
      keys[top]?.add(this.#name)
      const value = isOpening(first) ? this.#linkOrBytes(first) : this.#scalar(first, false)
      if (value === undefined) open(first)
      else if (links !== undefined && isLink(value)) links.push(value)
    }
    return finished(opening === MAP_OPEN ? new Map() : [])
  }

  #count(): void {
    if (++this.#values > this.#maxValues) throw dagErrors.E_JSON_VALUES(this.#maxValues)
  }

  #next(container: OpenContainer): number {
    if (!(container instanceof OpenMap)) return this.#entry(container.length > 0, undefined)
    const first = this.#entry(container.map.size > 0, container.map)
    container.key = this.#name
    return first
  }

  /**
   * Finds where the next value of a list or map starts, reading a map's key first. {@link END}: there is none.
   *
   * @param some - whether there was one before
   * @param keys - those of a map before it
   */
  #entry(some: boolean, keys: { has(key: string): boolean } | undefined): number {
    const close = keys === undefined ? LIST_CLOSE : MAP_CLOSE
    let first = this.#tokens.required()
    if (some && first === COMMA) first = this.#tokens.required()
    else if (some && first !== close && !this.#isLenient)
      throw dagErrors.E_JSON_COMMA(keys === undefined ? 'array' : 'map', OPENING.get(first) ?? `0x${first.toString(16).padStart(2, '0')}`)
    if (first === close) return END
    if (keys === undefined) return first
    this.#name = this.#key(first)
    if (keys.has(this.#name)) throw dagErrors.E_MAP_KEY_REPEATED(this.#name)
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

  /** `{"/":"cid"}` or `{"/":{"bytes":"base64"}}`, the opening already read; otherwise the cursor stays, in a list or map. */
  #linkOrBytes(opening: number): Node | undefined {
    this.#tokens.inside = true
    if (opening !== MAP_OPEN || !this.#special) return undefined
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

function isOpening(first: number): boolean {
  return first === LIST_OPEN || first === MAP_OPEN
}

/** Unpadded, or with padding where that fails. */
function decodeBase64(text: string): Uint8Array {
  try {
    return plainBase64.decode(text)
  } catch {
    return paddedBase64.decode(text)
  }
}
