import { decodeCid } from '../../cid/parse.ts'
import { decodeUtf8 } from '../../go/utf8.ts'
import { dagErrors } from '../errors.ts'
import { finished, kindOf, MAX_INT64, type Node } from '../model.ts'

/** The most memory that a block may be decoded into (go-ipld-prime 0.21, dagcbor): about bytes, with a few more for each entry. */
export const BUDGET = 10 * 1024 * 1024
const MAP_ENTRY = 8
const LIST_ENTRY = 4
/** Longest string in bytes (refmt 0.89). */
export const MAX_STRING = 33554432
const LINK_TAG = 42
const INDEFINITE = -1
const BREAK = 0xff

export interface CborDecodeOptions {
  /** Whether tag 42 is a link; otherwise it is refused like any other. */
  links: boolean
}

/**
 * Reads one CBOR value as the reference does: leniently (integers of any width, keys in any order, indefinite lengths, `undefined` as
 * null, tags on anything but bytes ignored), within a budget, without recursion. Bytes are views of the input.
 *
 * @throws E_UNEXPECTED_EOF, E_EOF (the input ended where an element or a key should have come), E_CBOR_…, E_MAP_KEY_REPEATED,
 * E_MAP_KEY_KIND, E_CID_INVALID
 */
export function decodeCbor(bytes: Uint8Array, { links }: CborDecodeOptions): Node {
  return new CborReader(bytes, links).read()
}

/** A list or map whose entries are still coming. */
class Frame {
  readonly value: Node[] | Map<string, Node>
  /** Entries still to come, or {@link INDEFINITE}. */
  left: number
  key = ''

  constructor(value: Node[] | Map<string, Node>, left: number) {
    this.value = value
    this.left = left
  }

  put(node: Node): void {
    if (Array.isArray(this.value)) this.value.push(node)
    else this.value.set(this.key, node)
  }
}

class CborReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  /** The input with a character for each byte: slices of it cost next to nothing. */
  #latin1: string | undefined
  readonly #links: boolean
  #at = 0
  #budget = BUDGET
  /** Whether the input may not end here: the reference tells a missing root or value of a map from a missing element or key. */
  #promised = true
  /** The tag and, for strings and bytes, the length of the token just read. */
  #tag: number | bigint | undefined
  #size = 0

  constructor(bytes: Uint8Array, links: boolean) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#links = links
  }

  read(): Node {
    const stack: Frame[] = []
    let top: Frame | undefined
    for (;;) {
      let value: Node | Frame
      if (top === undefined) value = this.#value(this.#byte())
      else if (this.#isOver(top)) {
        value = finished(top.value)
        stack.pop()
        top = stack.at(-1)
      } else if (Array.isArray(top.value)) value = this.#element()
      else value = this.#entry(top, top.value)
      if (value instanceof Frame) {
        stack.push(value)
        top = value
      } else if (top !== undefined) top.put(value)
      else if (this.#at < this.#bytes.length) throw dagErrors.E_CBOR_TRAILING()
      else return value
    }
  }

  /** An indefinite list or map ends with a break where an element or a key could stand. */
  #isOver(frame: Frame): boolean {
    if (frame.left !== INDEFINITE) return frame.left-- === 0
    if (this.#bytes[this.#at] !== BREAK) return false
    this.#at++
    return true
  }

  #element(): Node | Frame {
    this.#promised = false
    const token = this.#token(this.#byte())
    this.#spend(LIST_ENTRY)
    return this.#settled(token)
  }

  #entry(frame: Frame, map: Map<string, Node>): Node | Frame {
    this.#promised = false
    const key = this.#token(this.#byte())
    if (typeof key !== 'string') throw dagErrors.E_MAP_KEY_KIND(tokenName(key))
    this.#spend(this.#size + MAP_ENTRY)
    if (map.has(key)) throw dagErrors.E_MAP_KEY_REPEATED(key)
    frame.key = key
    this.#promised = true
    const first = this.#byte()
    if (first === BREAK && frame.left === INDEFINITE) throw dagErrors.E_CBOR_BREAK()
    return this.#value(first)
  }

  #value(first: number): Node | Frame {
    return this.#settled(this.#token(first))
  }

  /** Charges a token to the budget and turns tagged bytes into a link. */
  #settled(token: Node | Frame): Node | Frame {
    if (token instanceof Frame) {
      if (token.left > this.#budget) throw dagErrors.E_CBOR_BUDGET()
      return token
    }
    if (token === null) return token
    this.#spend(this.#size)
    return token instanceof Uint8Array && this.#tag !== undefined ? this.#link(token, this.#tag) : token
  }

  #spend(cost: number): void {
    this.#budget -= cost
    if (this.#budget < 0) throw dagErrors.E_CBOR_BUDGET()
  }

  #link(bytes: Uint8Array, tag: number | bigint): Node {
    if (tag !== LINK_TAG || !this.#links) throw dagErrors.E_CBOR_TAG(tag)
    if (bytes[0] !== 0) throw dagErrors.E_CBOR_LINK()
    return decodeCid(bytes.slice(1))
  }

  /** One token: a scalar, or a list or map opened. */
  #token(start: number): Node | Frame {
    let first = start
    this.#tag = undefined
    this.#size = 1
    while (first >>> 5 === 6) {
      if (this.#tag !== undefined) throw dagErrors.E_CBOR_TAGS()
      this.#tag = this.#length(first)
      first = this.#byte()
    }
    switch (first >>> 5) {
      case 0:
        return BigInt(this.#uint(first))
      case 1:
        return this.#negative(first)
      case 2:
        return first === 0x5f ? this.#chunks(0x40) : this.#take(this.#checked(first, 'byte'))
      case 3:
        return first === 0x7f ? decodeUtf8(this.#chunks(0x60)) : this.#text(this.#checked(first, 'string'))
      case 4:
        return new Frame([], first === 0x9f ? INDEFINITE : Number(this.#length(first)))
      case 5:
        return new Frame(new Map(), first === 0xbf ? INDEFINITE : Number(this.#length(first)))
      default:
        return this.#simple(first)
    }
  }

  #simple(first: number): Node {
    switch (first) {
      case 0xf4:
        return false
      case 0xf5:
        return true
      case 0xf6:
      case 0xf7:
        return null
      case 0xf9:
        return halfFloat(this.#view.getUint16(this.#skip(2)))
      case 0xfa:
        return this.#view.getFloat32(this.#skip(4))
      case 0xfb:
        return this.#view.getFloat64(this.#skip(8))
      default:
        throw dagErrors.E_CBOR_BYTE(first)
    }
  }

  #negative(first: number): bigint {
    const value = BigInt.asUintN(64, BigInt(this.#uint(first)) + 1n)
    if (value > MAX_INT64 + 1n) throw dagErrors.E_CBOR_NEGATIVE()
    return -value
  }

  /** The argument of a token's first byte. */
  #uint(first: number): number | bigint {
    const low = first & 0x1f
    if (low < 24) return low
    switch (low) {
      case 24:
        return this.#byte()
      case 25:
        return this.#view.getUint16(this.#skip(2))
      case 26:
        return this.#view.getUint32(this.#skip(4))
      case 27: {
        const value = this.#view.getBigUint64(this.#skip(8))
        return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
      }
      default:
        throw dagErrors.E_CBOR_DESCRIPTOR(first)
    }
  }

  #length(first: number): number | bigint {
    const length = this.#uint(first)
    if (length > MAX_INT64) throw dagErrors.E_CBOR_LENGTH()
    return length
  }

  #checked(first: number, what: string): number {
    const length = this.#length(first)
    if (length > MAX_STRING) throw dagErrors.E_CBOR_OVERSIZED(what, length)
    return Number(length)
  }

  /** The pieces of an indefinite string, joined. One that is cut short shows when the next piece is looked for. */
  #chunks(major: number): Uint8Array {
    const start = this.#at
    let size = 0
    // once for their sizes, once for their bytes: a million empty pieces take no memory
    this.#eachChunk(major, (from, to) => {
      size += to - from
    })
    const joined = Buffer.alloc(size)
    let at = 0
    this.#at = start
    this.#eachChunk(major, (from, to) => {
      joined.set(this.#bytes.subarray(from, to), at)
      at += to - from
    })
    this.#size = size
    return joined
  }

  #eachChunk(major: number, take: (from: number, to: number) => void): void {
    for (let first = this.#byte(); first !== BREAK; first = this.#byte()) {
      if ((first & 0xe0) !== major) throw dagErrors.E_CBOR_CHUNK(first & 0xe0, first)
      const from = this.#at
      const to = Math.min(from + this.#checked(first, 'indefinite string/bytes'), this.#bytes.length)
      if (to > from) take(from, to)
      this.#at = to
    }
  }

  #text(size: number): string {
    const bytes = this.#take(size)
    let bits = 0
    for (let i = 0; i < size; i++) bits |= bytes[i]!
    if (bits >= 0x80) return decodeUtf8(bytes)
    this.#latin1 ??= Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength).toString('latin1')
    return this.#latin1.slice(this.#at - size, this.#at)
  }

  #take(size: number): Uint8Array {
    const at = size === 0 ? this.#at : this.#skip(size)
    this.#size = size
    return this.#bytes.subarray(at, at + size)
  }

  /** Passes `size` bytes, which must be there; the place where they start. */
  #skip(size: number): number {
    const at = this.#at
    const there = this.#bytes.length - at
    if (there < size) throw there === 0 && !this.#promised ? dagErrors.E_EOF() : dagErrors.E_UNEXPECTED_EOF()
    this.#at = at + size
    return at
  }

  #byte(): number {
    return this.#bytes[this.#skip(1)]!
  }
}

/** A token, as refmt has it. */
function tokenName(token: Node | Frame): string {
  if (token instanceof Frame) return Array.isArray(token.value) ? 'array open' : 'map open'
  return typeof token === 'bigint' && token >= 0n ? 'uint' : kindOf(token)
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
