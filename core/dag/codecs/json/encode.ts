import type { CID } from 'multiformats/cid'
import { base64 } from '../../../cid/base/base64.ts'
import { cidToString } from '../../../cid/parse.ts'
import { formatFloat64 } from '../../../go/number.ts'
import type { EncodeOptions } from '../../../services/content/dag.ts'
import { dagErrors } from '../../errors.ts'
import { MAX_UINT64, type Node, plain } from '../../model.ts'
import { DEFAULT_LIMIT } from '../../output.ts'
import type { MapOrder } from '../../walk/order.ts'

interface JsonEncodeOptions extends EncodeOptions {
  /** Whether links and bytes are written as `{"/": …}`; otherwise they are refused. */
  special: boolean
  order: MapOrder
  /** Entries on lines of their own, indented by tabs, as `json` (0x200) has them. */
  pretty?: boolean
}

/** A list or map that is being written. */
type Level = (
  | { readonly keyed: false; readonly remaining: Iterator<Node> }
  | { readonly keyed: true; readonly remaining: Iterator<readonly [string, Node]> }
) & {
  /** Whether it has an entry already. */
  some: boolean
}

/**
 * Writes a value as JSON in the reference's dialect (refmt 0.89), so that reading it gives the same value: a float without a fraction keeps its point,
 * and text that is no UTF-8 is refused. No recursion.
 *
 * @throws E_JSON_NO_LINKS, E_JSON_NO_BYTES, E_JSON_FLOAT, E_JSON_TEXT, E_JSON_RESERVED, E_UINT_RANGE, E_ENCODED_TOO_LARGE
 */
export function encodeJson(root: Node, options: JsonEncodeOptions): Uint8Array {
  const writer = new JsonWriter(options)
  try {
    writer.write(root)
  } catch (error) {
    options.onFailure?.(writer.bytes())
    throw error
  }
  return writer.bytes()
}

class JsonWriter {
  /** The text that was written before `#text`: a text that is put together from millions of words takes 30 bytes for each. */
  readonly #pieces: Buffer[] = []
  #flushed = 0
  #text = ''
  readonly #special: boolean
  readonly #order: MapOrder
  readonly #pretty: boolean
  readonly #limit: number
  readonly #levels: Level[] = []

  constructor({ special, order, pretty = false, limit = DEFAULT_LIMIT }: JsonEncodeOptions) {
    this.#special = special
    this.#order = order
    this.#pretty = pretty
    this.#limit = limit
  }

  /** All that was written. */
  bytes(): Buffer {
    this.#flush()
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)
  }

  write(root: Node): void {
    for (let node: Node | undefined = root; node !== undefined; node = this.#next()) {
      this.#value(node)
      this.#check()
    }
  }

  #value(node: Node): void {
    const value = plain(node)
    if (typeof value === 'string') this.#text += jsonString(value)
    else if (typeof value === 'bigint') this.#integer(value)
    else if (typeof value === 'number') this.#float(value)
    else if (value === null || typeof value === 'boolean') this.#text += value
    else if (Array.isArray(value)) this.#open('[', { keyed: false, remaining: value.values(), some: false })
    else if (value instanceof Map) this.#map(value)
    else if (value instanceof Uint8Array) this.#bytes(value)
    else this.#link(value)
  }

  #map(value: Map<string, Node>): void {
    if (this.#special && isReserved(value)) throw dagErrors.E_JSON_RESERVED()
    this.#open('{', { keyed: true, remaining: this.#order(value)[Symbol.iterator](), some: false })
  }

  #open(bracket: string, level: Level): void {
    this.#text += bracket
    this.#levels.push(level)
  }

  /** The next value of the innermost list or map that has one, after what stands before it. */
  #next(): Node | undefined {
    for (let top = this.#levels.at(-1); top !== undefined; top = this.#levels.at(-1)) {
      const { value, done } = top.remaining.next()
      if (!done) {
        if (top.some) this.#text += ','
        top.some = true
        this.#line()
        if (!top.keyed) return value as Node
        const [key, node] = value as readonly [string, Node]
        this.#text += jsonString(key) + (this.#pretty ? ': ' : ':')
        return node
      }
      this.#levels.pop()
      if (top.some) this.#line()
      this.#text += top.keyed ? '}' : ']'
      if (this.#pretty && this.#levels.length === 0) this.#text += '\n'
    }
    return undefined
  }

  #line(): void {
    if (!this.#pretty) return
    this.#check()
    this.#text += `\n${'\t'.repeat(this.#levels.length)}`
  }

  #check(): void {
    if (this.#flushed + this.#text.length > this.#limit) throw dagErrors.E_ENCODED_TOO_LARGE(this.#limit)
    if (this.#text.length >= PIECE) this.#flush()
  }

  #flush(): void {
    this.#pieces.push(Buffer.from(this.#text))
    this.#flushed += this.#text.length
    this.#text = ''
  }

  #integer(value: bigint): void {
    if (value > MAX_UINT64) throw dagErrors.E_UINT_RANGE()
    this.#text += value
  }

  #float(value: number): void {
    if (!Number.isFinite(value)) throw dagErrors.E_JSON_FLOAT(Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')
    const text = formatFloat64(value)
    this.#text += /^-?\d+$/.test(text) ? `${text}.0` : text
  }

  #bytes(value: Uint8Array): void {
    if (!this.#special) throw dagErrors.E_JSON_NO_BYTES()
    this.#text += `{"/":{"bytes":"${plainBase64.encode(value)}"}}`
  }

  #link(cid: CID): void {
    if (!this.#special) throw dagErrors.E_JSON_NO_LINKS()
    this.#text += `{"/":"${cidToString(cid)}"}`
  }
}

/** Whether a map would be read again as a link or as bytes. */
function isReserved(map: ReadonlyMap<string, Node>): boolean {
  const inner = map.size === 1 ? map.get('/') : undefined
  const text = inner instanceof Map && inner.size === 1 ? inner.get('bytes') : inner
  return text !== undefined && typeof plain(text) === 'string'
}

const plainBase64 = base64()
/** All but what stands for itself: control characters, `"`, `\\`, U+2028, U+2029, lone surrogates. */
const SPECIAL = /[^ !#-[\]-\u2027\u202a-\ud7ff\ue000-\u{10ffff}]/u
const ALL_SPECIAL = new RegExp(SPECIAL, 'gu')

/** Characters that are put together or escaped at a time, as each may take memory of its own meanwhile. */
const PIECE = 1 << 16

/** A string in quotes. @throws E_JSON_TEXT for what is no UTF-8 */
function jsonString(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw dagErrors.E_JSON_TEXT()
  let quoted = '"'
  for (let at = 0; at < text.length; ) {
    const isPair = (text.codePointAt(at + PIECE - 1) ?? 0) > 0xffff
    const end = at + PIECE + (isPair ? 1 : 0)
    quoted += text.slice(at, end).replace(ALL_SPECIAL, escaped)
    at = end
  }
  return `${quoted}"`
}

function escaped(char: string): string {
  switch (char) {
    case '"':
    case '\\':
      return `\\${char}`
    case '\n':
      return '\\n'
    case '\r':
      return '\\r'
    case '\t':
      return '\\t'
  }
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
